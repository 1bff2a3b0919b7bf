//! A lens without its markup: one line for each row, item, heading or paragraph.

/// Tags at whose end a line ends.
const LINES: [&str; 12] =
    ["h1", "h2", "p", "tr", "li", "dd", "figcaption", "summary", "label", "header", "text", "nav"];

/// The text of a rendered lens. Options of selects are counted instead of listed; titles of drawings are left out.
pub(crate) fn text(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    let mut skipped: Option<&str> = None;
    let mut options = 0;
    while let Some(open) = rest.find('<') {
        let (before, tag) = rest.split_at(open);
        let end = tag.find('>').map_or(tag.len(), |end| end + 1);
        let (tag, after) = tag.split_at(end);
        if skipped.is_none() {
            out.push_str(&unescaped(before));
        }
        let name = tag.trim_start_matches(['<', '/']).split([' ', '>', '/']).next().unwrap_or("");
        let closes = tag.starts_with("</");
        match name {
            "title" | "option" => {
                skipped = if closes { None } else { Some("inner") };
                options += usize::from(name == "option" && !closes);
            }
            "select" if closes => {
                out.push_str(&format!(" [{options} options]"));
                options = 0;
            }
            "td" | "th" | "dt" | "small" | "span" if closes => out.push(' '),
            "svg" if !closes && tag.contains("aria-label") && tag.contains("class=\"lb\"") => {
                let label = tag.split("aria-label=\"").nth(1).and_then(|label| label.split('"').next()).unwrap_or("");
                out.push_str(&format!("({}) ", label.split(' ').next().unwrap_or("")));
            }
            "span" if tag.contains("role=\"img\"") => {
                let label = tag.split("aria-label=\"").nth(1).and_then(|label| label.split('"').next()).unwrap_or("");
                out.push_str(&format!("[{}] ", unescaped(label)));
            }
            name if closes && LINES.contains(&name) => out.push('\n'),
            _ => {}
        }
        rest = after;
    }
    out.push_str(rest);
    let lines: Vec<String> = out
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty())
        .collect();
    lines.join("\n")
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

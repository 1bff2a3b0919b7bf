//! What the load log says that the capture's own fields do not: metadata and the number of scheduler splits.

/// Longest log, in lines, that is looked through; a load log has a few hundred to a few thousand.
const MAX_LINES: usize = 100_000;

/// Metadata lines of the loader (`- kv   2:   qwen3moe.block_count u32   = 6`): key, type and value as printed.
pub(super) fn metadata(log: &[String]) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for line in lines(log) {
        let Some((_, rest)) = line.split_once("llama_model_loader: - kv ") else { continue };
        let Some((number, rest)) = rest.split_once(':') else { continue };
        if !number.trim().bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let Some((left, value)) = rest.split_once(" = ") else { continue };
        let mut words = left.split_whitespace();
        if let (Some(key), Some(kind)) = (words.next(), words.next()) {
            found.push((key.to_owned(), kind.to_owned(), value.trim().to_owned()));
        }
    }
    found
}

/// The number of splits, if every `graph: nodes = N, splits = S` line states the same.
pub(super) fn splits(log: &[String]) -> Option<i64> {
    let mut stated: Option<i64> = None;
    for line in lines(log) {
        let Some((_, rest)) = line.split_once("graph: nodes = ") else { continue };
        let Some((_, rest)) = rest.split_once("splits = ") else { continue };
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let splits = digits.parse().ok()?;
        if stated.is_some_and(|known| known != splits) {
            return None;
        }
        stated = Some(splits);
    }
    stated
}

/// Log entries may be parts of lines, so they are joined first.
fn lines(log: &[String]) -> Vec<String> {
    log.concat().lines().take(MAX_LINES).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_loader() {
        let log = vec![
            "llama_model_loader: - kv   2:                       qwen3moe.block_count u32              = 6\n"
                .to_owned(),
            "llama_model_loader: - type  f32:   31 tensors\n".to_owned(),
            "sched_reserve: graph: nodes = 336, splits ".to_owned(),
            "= 1, input objects = 4\n".to_owned(),
        ];
        assert_eq!(metadata(&log), [("qwen3moe.block_count".to_owned(), "u32".to_owned(), "6".to_owned())]);
        assert_eq!(splits(&log), Some(1));
    }
}

//! The names by which runtimes mark their own steps. One line a rule; a pass carries the rule's name in its label.

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The rule that knew it.
    pub(super) rule: &'static str,
    /// `prefill` or `decode`; `None` when the name leaves it open, or the step is both.
    pub(super) kind: Option<&'static str>,
    /// Tokens taken in, where the name says.
    pub(super) tokens: Option<i64>,
}

type Reader = fn(&str) -> Option<Step>;

const RULES: [Reader; 4] = [vllm, sglang, tensorrt_llm, llama_cpp];

/// What step a range's name marks; `None` when no rule knows it.
pub(super) fn step(name: &str) -> Option<Step> {
    RULES.iter().find_map(|rule| rule(name))
}

/// The number right after a word.
fn after(text: &str, word: &str) -> Option<i64> {
    let rest = text.get(text.find(word)? + word.len()..)?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    rest.get(..digits)?.parse().ok()
}

fn kind(context: i64, generation: i64) -> Option<&'static str> {
    match (context > 0, generation > 0) {
        (true, false) => Some("prefill"),
        (false, true) => Some("decode"),
        _ => None,
    }
}

/// vLLM: `execute_context_1(888)_generation_0(0)`, `execute_32_context_0(...)_generation_32(...)`.
fn vllm(name: &str) -> Option<Step> {
    let rest = name.strip_prefix("execute_")?;
    let (context, generation) = (after(rest, "context_")?, after(rest, "_generation_")?);
    let kind = kind(context, generation);
    // Of sequences in decode each takes one token in.
    let tokens = (kind == Some("decode")).then_some(generation);
    Some(Step { rule: "vLLM: execute_context_…_generation_…", kind, tokens })
}

/// SGLang: `step[DECODE bs=32]`, `step[EXTEND bs=15 toks=15360]`.
fn sglang(name: &str) -> Option<Step> {
    let inner = name.strip_prefix("step[")?.strip_suffix(']')?;
    let kind = match inner.split(' ').next()? {
        "DECODE" => Some("decode"),
        "EXTEND" | "PREFILL" => Some("prefill"),
        "MIXED" => None,
        _ => return None,
    };
    let tokens = after(inner, "toks=").or_else(|| after(inner, "bs=").filter(|_| kind == Some("decode")));
    Some(Step { rule: "SGLang: step[…]", kind, tokens })
}

/// TensorRT-LLM: `[Executor] _forward_step 12: 1 ctx reqs, 3 gen reqs`.
fn tensorrt_llm(name: &str) -> Option<Step> {
    let rest = name.strip_prefix("[Executor] _forward_step ")?;
    let counts = rest.split_once(": ")?.1;
    let number = |word: &str| counts.split(", ").find_map(|part| part.strip_suffix(word)?.trim().parse::<i64>().ok());
    let kind = kind(number("ctx reqs")?, number("gen reqs")?);
    let tokens = number("gen reqs").filter(|_| kind == Some("decode"));
    Some(Step { rule: "TensorRT-LLM: [Executor] _forward_step …", kind, tokens })
}

/// A step that only says what it is: `prefill`, `decode`, `decode_step`, `prefill step 3`.
fn llama_cpp(name: &str) -> Option<Step> {
    let word = name.split([' ', '_', ':', '#']).next()?.to_ascii_lowercase();
    let rest = name.get(word.len()..)?.trim_start_matches([' ', '_', ':', '#']).to_ascii_lowercase();
    let kind = match word.as_str() {
        "decode" => "decode",
        "prefill" => "prefill",
        _ => return None,
    };
    let numbered = rest.trim_start_matches("step").trim_start_matches("pass").trim_matches([' ', '_', ':', '#']);
    numbered.chars().all(|c| c.is_ascii_digit()).then_some(Step {
        rule: "a range called prefill or decode",
        kind: Some(kind),
        tokens: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // The names are those that the runtimes write; what they mean is written beside each rule in their sources.
    #[test]
    fn steps_of_each_runtime_are_told() {
        let told = |name: &str| step(name).map(|step| (step.kind, step.tokens));
        assert_eq!(told("execute_context_1(888_788544)_generation_0(0)"), Some((Some("prefill"), None)));
        assert_eq!(told("execute_32_context_0(sq0sk0)_generation_32(sq32sk55086)"), Some((Some("decode"), Some(32))));
        assert_eq!(told("execute_context_2(9)_generation_3(3)"), Some((None, None)));
        assert_eq!(told("step[DECODE bs=32]"), Some((Some("decode"), Some(32))));
        assert_eq!(told("step[EXTEND bs=15 toks=15360]"), Some((Some("prefill"), Some(15360))));
        assert_eq!(told("[Executor] _forward_step 12: 0 ctx reqs, 3 gen reqs"), Some((Some("decode"), Some(3))));
        assert_eq!(told("decode_step"), Some((Some("decode"), None)));
        assert_eq!(told("Prefill step 3"), Some((Some("prefill"), None)));
        for other in ["aten::add", "decoder_layer_3", "execute_context", "step[IDLE]", "decode attention", ""] {
            assert_eq!(told(other), None, "{other}");
        }
    }
}

//! What mixes the tokens in each layer, where the metadata of a GGUF file says so.

use tokenpath_core::model::Components;
use tokenpath_core::{Label, Labels};

use super::header::{Model, Value};

/// Sets the mixers that the file states and leaves the rest open.
pub(crate) fn apply(table: &mut Components, model: &Model, architecture: &str, file: &str) {
    let Some(stated) = Mixers::of(model, architecture) else { return };
    let mixers = table
        .kind
        .iter()
        .enumerate()
        .map(|(row, _)| stated.layer(usize::try_from(table.layer.get(row)?).ok()?))
        .collect();
    table.mixer = mixers;
    let labels: Labels = std::mem::take(&mut table.labels);
    table.labels = labels.with("mixer", Label::read(file));
}

/// Who says what mixes the tokens.
enum Mixers<'a> {
    /// A flag a layer: whether it sees a window alone.
    Windows(&'a [i64]),
    /// Every so many layers, the last sees all tokens and the others a window.
    WindowPeriod(i64),
    /// Every so many layers, the last is attention and the others keep a state.
    StatePeriod(i64),
    /// Key and value heads a layer: a layer without any is no attention.
    Heads(&'a [i64]),
}

impl<'a> Mixers<'a> {
    fn of(model: &'a Model, architecture: &str) -> Option<Self> {
        let value = |key: &str| {
            let key = format!("{architecture}.{key}");
            model.metadata.iter().find(|(known, _)| *known == key).map(|(_, value)| value)
        };
        match value("attention.sliding_window_pattern") {
            Some(Value::Ints(flags)) => return Some(Mixers::Windows(flags)),
            Some(Value::Int(period)) if *period > 0 => return Some(Mixers::WindowPeriod(*period)),
            _ => {}
        }
        if let Some(Value::Int(period)) = value("full_attention_interval")
            && *period > 0
        {
            return Some(Mixers::StatePeriod(*period));
        }
        match value("attention.head_count_kv") {
            Some(Value::Ints(heads)) if heads.contains(&0) => Some(Mixers::Heads(heads)),
            _ => None,
        }
    }

    fn layer(&self, layer: usize) -> Option<&'static str> {
        let last_of = |period: i64| i64::try_from(layer).is_ok_and(|layer| (layer + 1) % period == 0);
        match self {
            Mixers::Windows(flags) => {
                flags.get(layer).map(|flag| if *flag == 0 { "full_attention" } else { "sliding_attention" })
            }
            Mixers::WindowPeriod(period) => Some(if last_of(*period) { "full_attention" } else { "sliding_attention" }),
            Mixers::StatePeriod(period) => Some(if last_of(*period) { "full_attention" } else { "linear_attention" }),
            // What keeps the tokens in a layer without key and value heads, the number does not say.
            Mixers::Heads(heads) => heads.get(layer).and_then(|heads| (*heads > 0).then_some("full_attention")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand, from the meaning of the keys in llama.cpp's constants and of gemma3's five windows in six layers.
    #[test]
    fn each_way_of_stating_it_gives_the_layers() {
        let layers = |mixers: &Mixers<'_>| (0..6).map(|layer| mixers.layer(layer)).collect::<Vec<_>>();
        let (full, window, state) = (Some("full_attention"), Some("sliding_attention"), Some("linear_attention"));
        assert_eq!(layers(&Mixers::Windows(&[1, 0, 1, 0])), [window, full, window, full, None, None]);
        assert_eq!(layers(&Mixers::WindowPeriod(6)), [window, window, window, window, window, full]);
        assert_eq!(layers(&Mixers::StatePeriod(3)), [state, state, full, state, state, full]);
        assert_eq!(layers(&Mixers::Heads(&[0, 0, 8, 0, 0, 8])), [None, None, full, None, None, full]);
    }
}

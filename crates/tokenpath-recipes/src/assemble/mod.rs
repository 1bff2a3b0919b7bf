//! From the fields that a source states to an architecture.

mod family;

use crate::architecture::{Architecture, Layer, Mixer, Network};
use crate::blocks::attention::{Attention, HeadNorm, Window};
use crate::blocks::delta::GatedDelta;
use crate::blocks::dense::Dense;
use crate::blocks::embedding::Embedding;
use crate::blocks::experts::{Experts, Shared};
use crate::blocks::latent::Latent;
use crate::blocks::norm::Norm;
use crate::blocks::side::{PerLayer, Streams};
use crate::blocks::state::{Mamba, Mamba2};
use crate::stated::{Kind, Stated};

use family::{Beside, Family, Flag, Heads, Mixture, Norms, State};

/// Why no architecture can be assembled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The source does not name its architecture.
    #[error("the source does not name its architecture (model_type)")]
    Unnamed,
    /// No family has this name.
    #[error("no recipe is known for the architecture {model_type:?}; known are {}", known_names())]
    Unknown {
        /// The name.
        model_type: String,
    },
    /// A field is needed and not stated.
    #[error("{family} needs the field {field}, which is not stated")]
    Lacks {
        /// The family.
        family: &'static str,
        /// The field.
        field: &'static str,
    },
    /// What a layer is, is not stated.
    #[error("what layer {layer} is, is not stated in a way that {family} has")]
    Layer {
        /// The family.
        family: &'static str,
        /// The layer, from 0.
        layer: usize,
    },
}

fn known_names() -> String {
    family::known().collect::<Vec<_>>().join(", ")
}

/// Assembles the architecture that a source states.
///
/// # Errors
/// When its family is not known, or a field is missing that the family does not fix.
pub fn assemble(stated: &dyn Stated) -> Result<Architecture, Refused> {
    let model_type = stated.model_type().ok_or(Refused::Unnamed)?;
    let family = family::family(model_type).ok_or_else(|| Refused::Unknown { model_type: model_type.to_owned() })?;
    Assembly { stated, family }.architecture()
}

/// A source and its family.
struct Assembly<'a> {
    stated: &'a dyn Stated,
    family: &'static Family,
}

impl Assembly<'_> {
    fn architecture(&self) -> Result<Architecture, Refused> {
        let width = self.first(&["hidden_size", "n_embd", "d_model"])?;
        let layers = self
            .stated
            .layers()
            .iter()
            .enumerate()
            .map(|(number, kind)| self.layer(number, kind, width))
            .collect::<Result<Vec<_>, _>>()?;
        if layers.is_empty() {
            return Err(self.lacks("num_hidden_layers"));
        }
        Ok(Architecture {
            family: self.family.name,
            width,
            vocabulary: self.need("vocab_size")?,
            tied: self.stated.tied().unwrap_or(self.family.tied),
            embedding: Embedding {
                positions: self.family.positions.map_or(Ok(0), |field| self.need(field))?,
                per_layer: self.per_layer(),
            },
            layers,
            output_norm: self.family.norm,
            head_bias: self.family.head_bias,
            streams: self.streams()?,
        })
    }

    fn layer(&self, number: usize, kind: &Kind, width: u64) -> Result<Layer, Refused> {
        let open = || Refused::Layer { family: self.family.name, layer: number };
        let mixer = match kind.mixer {
            Some("none") => None,
            Some("linear_attention") => Some(Mixer::Delta(self.delta()?)),
            Some("state_space") => Some(self.state(width)?),
            // Which window a layer has changes what it keeps, not what it is.
            Some("full_attention" | "sliding_attention" | "chunked_attention") | None => {
                Some(self.attention(number, kind, width)?)
            }
            Some(_) => return Err(open()),
        };
        let dense =
            |inner| Network::Dense(Dense { inner, gated: self.family.gated, bias: self.is(self.family.inner_bias) });
        let networks = match (kind.network, &self.family.mixture) {
            (Some("none"), _) => Vec::new(),
            (Some("dense"), _) => vec![dense(self.inner(number, width)?)],
            (Some("experts"), Some(mixture)) => {
                let mut networks = Vec::new();
                if mixture.and_dense {
                    networks.push(dense(self.inner(number, width)?));
                }
                networks.push(Network::Experts(self.experts(mixture)?));
                networks
            }
            _ => return Err(open()),
        };
        let beside_dense = networks.len() > 1;
        Ok(Layer {
            norms: self.norms(mixer.is_some(), !networks.is_empty(), beside_dense),
            mixer,
            networks,
            per_layer: self.per_layer(),
            streams: self.streams()?,
            scale: self.family.name == "Gemma 4",
        })
    }

    fn norms(&self, mixes: bool, follows: bool, beside_dense: bool) -> Vec<(&'static str, Norm)> {
        let norm = self.family.norm;
        let roles: &[&str] = match self.family.norms {
            Norms::Single if mixes => &["attention_norm"],
            Norms::Single => &["feed_forward_norm"],
            Norms::Parallel if self.two_in_parallel() => &["attention_norm", "feed_forward_norm"],
            Norms::Parallel => &["attention_norm"],
            Norms::Before if follows => &["attention_norm", "feed_forward_norm"],
            Norms::Before => &["attention_norm"],
            Norms::After => &["post_attention_norm", "post_feed_forward_norm"],
            Norms::Around => &["attention_norm", "post_attention_norm", "feed_forward_norm", "post_feed_forward_norm"],
        };
        let mut norms: Vec<_> = roles.iter().map(|role| (*role, norm)).collect();
        if beside_dense {
            // Dense network and experts are normalised each on its own, before and after.
            for role in ["feed_forward_norm", "post_feed_forward_norm", "post_feed_forward_norm"] {
                norms.push((role, norm));
            }
        }
        norms
    }

    /// Falcon's newer decoders normalise attention and network apart.
    fn two_in_parallel(&self) -> bool {
        let stated = |key: &str| self.stated.flag(key);
        stated("new_decoder_architecture") == Some(true) && self.stated.int("num_ln_in_parallel_attn") != Some(1)
            || stated("parallel_attn") == Some(false)
    }

    fn attention(&self, number: usize, kind: &Kind, width: u64) -> Result<Mixer, Refused> {
        let heads = self.first(&["num_attention_heads", "n_head", "n_heads"])?;
        if self.family.latent {
            return Ok(Mixer::Latent(Latent {
                heads,
                query_rank: self.stated.int("q_lora_rank"),
                kept_rank: self.need("kv_lora_rank")?,
                plain_width: self.need("qk_nope_head_dim")?,
                rotary_width: self.need("qk_rope_head_dim")?,
                value_width: self.need("v_head_dim")?,
                bias: self.is(self.family.input_bias),
            }));
        }
        let int = |key| self.stated.int(key);
        // Gemma 4's global layers have head sizes of their own.
        let global = kind.mixer == Some("full_attention");
        let head_width = int("global_head_dim")
            .filter(|_| global)
            .or_else(|| int("head_dim"))
            .map_or_else(|| width.checked_div(heads).ok_or_else(|| self.lacks("num_attention_heads")), Ok)?;
        let same = self.stated.flag("attention_k_eq_v") == Some(true) && global;
        let kv_heads = int("num_global_key_value_heads").filter(|_| same).or_else(|| self.kv_heads()).unwrap_or(heads);
        let count = self.stated.layers().len();
        let borrowing = int("num_kv_shared_layers").and_then(|last| usize::try_from(last).ok()).unwrap_or(0);
        let norm = self.family.norm;
        let says = |key: &str| self.stated.flag(key) == Some(true);
        Ok(Mixer::Attention(Attention {
            heads,
            kv_heads,
            head_width,
            window: match kind.mixer {
                Some("sliding_attention") => int("sliding_window").map_or(Window::Open, Window::Newest),
                Some("chunked_attention") => int("attention_chunk_size").map_or(Window::Open, Window::Chunk),
                Some(_) => Window::All,
                None => Window::Open,
            },
            input_bias: self.is(self.family.input_bias),
            output_bias: self.is(self.family.output_bias),
            norm: match self.family.heads {
                Heads::EachHead => HeadNorm::Head(norm),
                Heads::EachHeadIf(key) if says(key) => HeadNorm::Head(norm),
                Heads::EachHeadBareIf(key) if says(key) => HeadNorm::Head(Norm::Bare),
                Heads::EachHeadAndValue => HeadNorm::HeadAndValue(norm),
                Heads::Whole => HeadNorm::Whole(norm),
                Heads::Plain | Heads::EachHeadIf(_) | Heads::EachHeadBareIf(_) => HeadNorm::None,
            },
            gate: self.family.gate,
            sinks: self.family.sinks,
            keys_are_values: same,
            borrowed: number >= count.saturating_sub(borrowing),
        }))
    }

    /// Key and value heads where they are stated; Falcon states them by flags.
    fn kv_heads(&self) -> Option<u64> {
        if self.family.name == "Falcon" {
            let flag = |key: &str| self.stated.flag(key) == Some(true);
            return match (flag("new_decoder_architecture"), flag("multi_query")) {
                (true, _) => self.stated.int("num_kv_heads"),
                (false, true) => Some(1),
                (false, false) => None,
            };
        }
        ["num_key_value_heads", "num_kv_heads", "n_head_kv"].into_iter().find_map(|key| self.stated.int(key))
    }

    fn delta(&self) -> Result<GatedDelta, Refused> {
        Ok(GatedDelta {
            key_heads: self.need("linear_num_key_heads")?,
            key_width: self.need("linear_key_head_dim")?,
            value_heads: self.need("linear_num_value_heads")?,
            value_width: self.need("linear_value_head_dim")?,
            convolution: self.need("linear_conv_kernel_dim")?,
        })
    }

    fn state(&self, width: u64) -> Result<Mixer, Refused> {
        let flag = |keys: &[&str], or: bool| keys.iter().find_map(|key| self.stated.flag(key)).unwrap_or(or);
        let bias = flag(&["use_bias", "mamba_proj_bias"], false);
        let convolution_bias = flag(&["use_conv_bias", "mamba_conv_bias"], true);
        match self.family.state {
            Some(State::Channels { expand, state, convolution, rank, norm }) => Ok(Mixer::Mamba(Mamba {
                // Jamba's intermediate_size is the width of its networks.
                inner: match self.stated.int("intermediate_size").filter(|_| norm.is_none()) {
                    Some(inner) => inner,
                    None => self.need(expand)?.saturating_mul(width),
                },
                state: self.need(state)?,
                convolution: self.need(convolution)?,
                // "auto" stands for a sixteenth of the width.
                time_step_rank: self.stated.int(rank).unwrap_or_else(|| width.div_ceil(16)),
                bias,
                convolution_bias,
                norm: norm.unwrap_or(Norm::Bare),
            })),
            Some(State::Heads { heads, width, state }) => Ok(Mixer::Mamba2(Mamba2 {
                heads: self.need(heads)?,
                head_width: self.need(width)?,
                groups: self.need("n_groups")?,
                state: self.need(state)?,
                convolution: self.need("conv_kernel")?,
                bias,
                convolution_bias,
            })),
            None => Err(self.lacks("state_size")),
        }
    }

    fn inner(&self, number: usize, width: u64) -> Result<u64, Refused> {
        for field in self.family.inner {
            if let Some(inner) = self.stated.int(field) {
                return Ok(inner);
            }
            if let Some(inner) = self.stated.ints(field).and_then(|list| list.get(number).copied()) {
                return Ok(inner);
            }
        }
        let factor = self.family.inner_factor.map(|factor| width.saturating_mul(factor));
        factor.ok_or_else(|| self.lacks(self.family.inner.first().copied().unwrap_or("intermediate_size")))
    }

    fn experts(&self, mixture: &Mixture) -> Result<Experts, Refused> {
        let inner = self.need(mixture.inner)?;
        let shared = match mixture.beside {
            Beside::Nothing => None,
            Beside::Gated(field) => Some(Shared { inner: self.need(field)?, gate: true }),
            Beside::Wide(field) => Some(Shared { inner: self.need(field)?, gate: false }),
            Beside::One => Some(Shared { inner, gate: false }),
            Beside::Count(field) => self
                .stated
                .int(field)
                .filter(|count| *count > 0)
                .map(|count| Shared { inner: inner.saturating_mul(count), gate: false }),
        };
        Ok(Experts {
            count: self.need(mixture.count)?,
            used: self.first(mixture.used)?,
            inner,
            gated: self.family.gated,
            bias: mixture.bias,
            router_bias: mixture.router_bias,
            correction: mixture.correction,
            router_scales: mixture.and_dense,
            shared: shared.filter(|shared| shared.inner > 0),
        })
    }

    fn per_layer(&self) -> Option<PerLayer> {
        let width = self.stated.int("hidden_size_per_layer_input").filter(|width| *width > 0)?;
        Some(PerLayer { width, vocabulary: self.stated.int("vocab_size_per_layer_input")? })
    }

    fn streams(&self) -> Result<Option<Streams>, Refused> {
        match self.stated.int("altup_num_inputs") {
            Some(count) => Ok(Some(Streams { count, rank: self.need("laurel_rank")? })),
            None => Ok(None),
        }
    }

    fn is(&self, flag: Flag) -> bool {
        match flag {
            Flag::No => false,
            Flag::Yes => true,
            Flag::Stated(key) => self.stated.flag(key) == Some(true),
            Flag::UnlessStated(key) => self.stated.flag(key) != Some(false),
        }
    }

    fn need(&self, field: &'static str) -> Result<u64, Refused> {
        self.stated.int(field).ok_or_else(|| self.lacks(field))
    }

    /// The first of synonyms that is stated.
    fn first(&self, fields: &'static [&'static str]) -> Result<u64, Refused> {
        let found = fields.iter().find_map(|field| self.stated.int(field));
        found.ok_or_else(|| self.lacks(fields.first().copied().unwrap_or("")))
    }

    fn lacks(&self, field: &'static str) -> Refused {
        Refused::Lacks { family: self.family.name, field }
    }
}

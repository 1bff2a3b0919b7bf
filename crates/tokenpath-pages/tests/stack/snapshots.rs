//! What the lenses say of the reference captures.

use crate::text::text;
use crate::{fixture, render};

macro_rules! snapshot {
    ($name:ident, $case:literal, $fragment:literal) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(text(&render(&fixture($case), $fragment)));
        }
    };
}

snapshot!(model_dense, "smollm2", "model");
snapshot!(model_hybrid_layer, "tiny-hybrid", "model?sel=layer:3");
snapshot!(model_experts, "tiny-moe", "model?q=exps");
snapshot!(model_of_a_request_alone, "user-chat", "model");
snapshot!(block_dense, "smollm2", "block");
snapshot!(block_unmatched, "synthetic-metal", "block");
snapshot!(nodes_filtered, "smollm2", "nodes?q=attn_q&layer=0");
snapshot!(nodes_with_gaps, "synthetic-metal", "nodes?layer=none&graph=1");
snapshot!(kernels_node_by_node, "smollm2", "kernels?exec=0");
snapshot!(kernels_fused, "smollm2", "kernels?exec=1&sel=kernel:2");
snapshot!(kernels_sparse, "synthetic-metal", "kernels");
snapshot!(kernels_of_no_pass, "synthetic-metal", "kernels?kind=none");

/// The schematic alone: the cards of its 61 working nodes say nothing that the others do not.
#[test]
fn block_delta_net() {
    let text = text(&render(&fixture("tiny-hybrid"), "block?layer=0"));
    insta::assert_snapshot!(text.split("Nodes in encode order").next().unwrap_or(""));
}

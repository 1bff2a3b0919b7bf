//! A session from opening to closing, as both shells drive it. The expected texts are facts of the fixtures, which say
//! in their README where they come from.

// A helper that fails should fail its test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use tokenpath_engine::message::{Effect, Message, Opening, Region};
use tokenpath_engine::{Engine, File};

fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/../../fixtures/{name}/run.json.gz", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn open_at(engine: &mut Engine, name: &str, bytes: Vec<u8>, fragment: &str) -> Result<Vec<Effect>, Vec<Effect>> {
    let files = [File::new(name, &bytes)];
    let opening = Opening { fragment: fragment.to_owned(), keeps: false, ..Opening::default() };
    engine.open(&files, &opening, &mut |_| {}).map(|opened| opened.effects)
}

fn opened(name: &str, fragment: &str) -> (Engine, Vec<Effect>) {
    let mut engine = Engine::default();
    let effects = open_at(&mut engine, name, fixture(name), fragment).unwrap();
    (engine, effects)
}

fn html(effects: &[Effect], wanted: Region) -> Option<&str> {
    effects.iter().find_map(|effect| match effect {
        Effect::Region { region, html, .. } if *region == wanted => Some(html.as_str()),
        _ => None,
    })
}

fn fragments(effects: &[Effect]) -> Vec<(&str, bool)> {
    let of = |effect| match effect {
        &Effect::Fragment { ref text, push } => Some((text.as_str(), push)),
        _ => None,
    };
    effects.iter().filter_map(of).collect()
}

fn navigate(engine: &mut Engine, fragment: &str) -> Vec<Effect> {
    engine.update(&Message::Navigate { fragment: fragment.to_owned() })
}

#[test]
fn opening_fills_every_region() {
    let (_, effects) = opened("smollm2", "");
    for region in [Region::Header, Region::Rail, Region::Picker, Region::Lens, Region::Inspector] {
        assert!(html(&effects, region).is_some_and(|html| !html.is_empty()), "{region:?}");
    }
    assert_eq!(html(&effects, Region::Notice), Some(""), "an earlier failure is no longer shown");
    let header = html(&effects, Region::Header).unwrap();
    assert!(header.contains("SmolLM2-135M-Instruct"), "{header}");
    assert!(header.contains("lab capture"), "{header}");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Title { text } if text.starts_with("Run: "))));
}

/// A configuration, which is a model alone.
const CONFIG: &str = r#"{"model_type":"llama","num_hidden_layers":2,"hidden_size":64}"#;
/// The weights of one layer of such a model, as safetensors without data to speak of.
fn weights() -> Vec<u8> {
    let header = r#"{"model.layers.1.mlp.up_proj.weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[0; 4]].concat()
}

fn beside(first: (&str, &[u8]), second: (&str, &[u8])) -> Result<tokenpath_engine::Opened, Vec<Effect>> {
    let files = [File::new(first.0, &first.1), File::new(second.0, &second.1)];
    let opening = Opening { keeps: true, earlier: 1, ..Opening::default() };
    Engine::default().open(&files, &opening, &mut |_| {})
}

#[test]
fn a_model_beside_what_is_open_joins_it_or_takes_its_place_or_is_refused_with_a_way_out() {
    let weights = weights();
    let joined = beside(("model.safetensors", &weights), ("config.json", CONFIG.as_bytes())).unwrap();
    assert!(joined.joined);
    let notice = html(&joined.effects, Region::Notice).unwrap();
    assert!(notice.contains("Joined into one run") && notice.contains("layers-of-the-configuration"), "{notice}");

    let other = CONFIG.replace(":64", ":96");
    let replaced = beside(("config.json", CONFIG.as_bytes()), ("other.json", other.as_bytes())).unwrap();
    assert!(!replaced.joined, "two models are looked at one after the other");
    assert!(html(&replaced.effects, Region::Lens).is_some());

    let run = fixture("tiny-dense");
    let refused = beside(("run.json.gz", &run), ("model.safetensors", &weights)).unwrap_err();
    let notice = html(&refused, Region::Notice).unwrap();
    assert!(notice.contains("none of the") && notice.contains("tensors that the run names is in it"), "{notice}");
    assert!(notice.contains(r#"data-act="alone""#) && notice.contains("stays open"), "{notice}");

    let chat = fixture("user-chat");
    let another = beside(("run.json.gz", &run), ("chat.json.gz", &chat)).unwrap();
    assert!(!another.joined, "another recording takes the place of the open one");
    assert!(html(&another.effects, Region::Header).unwrap().contains("user"));
}

#[test]
fn the_address_decides_what_is_shown_first() {
    let (_, effects) = opened("smollm2", "#nodes?sel=node:3&q=Qcur");
    let lens = html(&effects, Region::Lens).unwrap();
    assert!(lens.contains("Qcur-0"), "the filtered node is listed");
    assert!(html(&effects, Region::Rail).unwrap().contains(r##"id="to-nodes" href="#nodes?sel=node:3""##));
}

#[test]
fn only_what_changes_is_sent() {
    let (mut engine, _) = opened("smollm2", "");
    let effects = navigate(&mut engine, "#passes");
    assert!(html(&effects, Region::Lens).is_some());
    assert!(html(&effects, Region::Rail).is_some(), "another lens is current");
    assert_eq!(html(&effects, Region::Header), None);
    assert_eq!(html(&effects, Region::Inspector), None);
    assert_eq!(navigate(&mut engine, "#passes"), [], "nothing changed");
}

#[test]
fn a_selection_reaches_every_region_and_another_lens_keeps_it() {
    let (mut engine, _) = opened("smollm2", "#passes");
    let effects = navigate(&mut engine, "#passes?sel=pass:8");
    assert!(html(&effects, Region::Lens).is_some());
    assert!(html(&effects, Region::Inspector).is_some());
    assert!(html(&effects, Region::Rail).unwrap().contains("#timeline?sel=pass:8"), "the other lenses are led there");
    let effects = navigate(&mut engine, "#timeline?sel=pass:8");
    assert!(html(&effects, Region::Lens).unwrap().contains("pass 8"), "the timeline starts at the selected pass");
    let effects = engine.update(&Message::Act { act: "clear".to_owned(), id: String::new() });
    assert_eq!(fragments(&effects), [("timeline", true)], "giving up a selection can be undone by Back");
    assert!(html(&effects, Region::Inspector).is_some());
}

#[test]
fn a_parameter_replaces_the_address_and_starts_from_the_first_row() {
    let (mut engine, _) = opened("smollm2", "#nodes?from=200");
    let set = |engine: &mut Engine, name: &str, value: &str| {
        engine.update(&Message::SetParam { name: name.to_owned(), value: value.to_owned() })
    };
    let effects = set(&mut engine, "q", "ffn");
    assert_eq!(fragments(&effects), [("nodes?q=ffn", false)]);
    let Some(Effect::Region { fresh, .. }) =
        effects.iter().find(|effect| matches!(effect, Effect::Region { region: Region::Lens, .. }))
    else {
        panic!("the lens is drawn again")
    };
    assert!(!fresh, "the same lens stays where it is read");
    assert_eq!(html(&effects, Region::Rail), None);
    assert_eq!(fragments(&set(&mut engine, "from", "100")), [("nodes?q=ffn&from=100", false)]);
    assert_eq!(fragments(&set(&mut engine, "q", "")), [("nodes", false)]);
}

#[test]
fn a_refused_file_leaves_the_run_that_is_open() {
    let (mut engine, _) = opened("smollm2", "#passes");
    let refused = open_at(&mut engine, "notes.txt", b"hello, this is text".to_vec(), "").unwrap_err();
    let [Effect::Region { region: Region::Notice, html: said, .. }] = refused.as_slice() else {
        panic!("only the notice changes: {refused:?}")
    };
    assert!(said.contains("notes.txt") && said.contains("hello, this is text"), "{said}");
    let effects = navigate(&mut engine, "#run");
    assert!(html(&effects, Region::Lens).unwrap().contains("SmolLM2"), "the run is still there");
}

#[test]
fn a_second_file_takes_the_place_of_the_first() {
    let (mut engine, _) = opened("smollm2", "#nodes?sel=node:3");
    let effects = open_at(&mut engine, "run.json.gz", fixture("user-chat"), "#request").unwrap();
    let header = html(&effects, Region::Header).unwrap();
    assert!(header.contains("user capture") && !header.contains("lab capture"), "{header}");
    assert!(!html(&effects, Region::Inspector).unwrap().contains("node:3"));
}

#[test]
fn messages_are_json_and_back() {
    let message = Message::SetParam { name: "q".to_owned(), value: "\"<é>\"".to_owned() };
    let json = serde_json::to_string(&message).unwrap();
    assert_eq!(json, r#"{"set_param":{"name":"q","value":"\"<é>\""}}"#);
    assert_eq!(serde_json::from_str::<Message>(&json).unwrap(), message);
    let (_, effects) = opened("user-chat", "");
    let json = serde_json::to_string(&effects).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Effect>>(&json).unwrap(), effects);
}

#[test]
fn progress_names_the_file_and_counts_its_bytes() {
    let bytes = fixture("smollm2");
    let total = bytes.len() as u64;
    let files = [File::new("run.json.gz", &bytes)];
    let mut seen = Vec::new();
    Engine::default().open(&files, &Opening::default(), &mut |progress| seen.push(progress)).unwrap();
    let first = seen.first().unwrap();
    assert_eq!((first.stage.as_str(), first.total), ("Reading run.json.gz", total));
    assert!(seen.iter().any(|progress| progress.done == total), "reading ends at the file's length");
    assert_eq!(seen.last().unwrap().stage, "Walking the token under test");
}

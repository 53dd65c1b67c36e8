//! Stored rules: a game is stored with its rules as JSON, which every later version has to read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ratatosk::rules::{Rulebook, Rules, VARIANTS, Variant};
use serde_json::{Map, Value};

/// What releases have stored: the version, the variant and the text. Add to this list, and never change it.
///
/// A release that stores the same texts as the one before needs no entries.
const RELEASED: &[(&str, &str, &str)] = &[
    (
        "0.1.0",
        "magpie",
        r#"{"size":7,"first":"attackers","goal":"corner","king-moves":"step","king-armed":true,"centre":{"rest":"K","cross":"tTK","hostile":"","hostile-when-empty":"tTK"},"corners":{"rest":"K","hostile":"tTK"},"siege":{"open":"four","on-centre":"four","beside-centre":"four","edge-closes":true},"beleaguered-capture":false,"encirclement":false,"no-moves":"loses","repetition":"draws"}"#,
    ),
    (
        "0.1.0",
        "brandubh",
        r#"{"size":7,"first":"attackers","goal":"corner","king-moves":"line","king-armed":true,"centre":{"rest":"K","cross":"tTK","hostile":"t","hostile-when-empty":"tTK"},"corners":{"rest":"K","hostile":"tTK"},"siege":{"open":"two","on-centre":"four","beside-centre":"four","edge-closes":false},"beleaguered-capture":false,"encirclement":true,"no-moves":"loses","repetition":"aggressor-loses"}"#,
    ),
    (
        "0.1.0",
        "ard-ri",
        r#"{"size":7,"first":"attackers","goal":"edge","king-moves":"line","king-armed":true,"centre":{"rest":"tTK","cross":"tTK","hostile":"","hostile-when-empty":""},"corners":{"rest":"tTK","hostile":""},"siege":{"open":"two","on-centre":"two","beside-centre":"two","edge-closes":false},"beleaguered-capture":false,"encirclement":true,"no-moves":"loses","repetition":"aggressor-loses"}"#,
    ),
    (
        "0.1.0",
        "sea-battle",
        r#"{"size":9,"first":"defenders","goal":"edge","king-moves":"line","king-armed":false,"centre":{"rest":"tTK","cross":"tTK","hostile":"","hostile-when-empty":""},"corners":{"rest":"tTK","hostile":""},"siege":{"open":"four","on-centre":"four","beside-centre":"four","edge-closes":false},"beleaguered-capture":false,"encirclement":false,"no-moves":"loses","repetition":"draws"}"#,
    ),
    (
        "0.1.0",
        "york",
        r#"{"size":11,"first":"attackers","goal":"edge","king-moves":"line","king-armed":false,"centre":{"rest":"K","cross":"tTK","hostile":"","hostile-when-empty":"K"},"corners":{"rest":"tTK","hostile":""},"siege":{"open":"four","on-centre":"four","beside-centre":"four","edge-closes":false},"beleaguered-capture":true,"encirclement":false,"no-moves":"loses","repetition":"aggressor-must-vary"}"#,
    ),
    (
        "0.1.0",
        "fetlar",
        r#"{"size":11,"first":"attackers","goal":"corner","king-moves":"line","king-armed":true,"centre":{"rest":"K","cross":"tTK","hostile":"t","hostile-when-empty":"tTK"},"corners":{"rest":"K","hostile":"tT"},"siege":{"open":"four","on-centre":"four","beside-centre":"four","edge-closes":false},"beleaguered-capture":false,"encirclement":false,"no-moves":"draws","repetition":"draws"}"#,
    ),
];

fn options(json: &str) -> Map<String, Value> {
    serde_json::from_str(json).unwrap()
}

fn read(options: &Map<String, Value>) -> Result<Rules, serde_json::Error> {
    serde_json::from_str(&serde_json::to_string(options).unwrap())
}

#[test]
fn rules_stored_by_every_release_are_read_unchanged() {
    for (version, id, json) in RELEASED {
        let rules: Rules = serde_json::from_str(json).unwrap_or_else(|why| panic!("{id} of {version}: {why}"));
        assert!(Rulebook::new(rules).is_ok(), "{id} of {version}");
        // No variant has changed its rules since; one that does gets its old rules written out here.
        assert_eq!(rules, Variant::find(id).unwrap().rules, "{id} of {version}");
    }
}

#[test]
fn the_stored_text_stays_the_same() {
    // Rules are looked up by their text: another one would store the same rules twice.
    for (_, id, json) in RELEASED {
        assert_eq!(serde_json::to_string(&Variant::find(id).unwrap().rules).unwrap(), *json, "{id}");
    }
}

#[test]
fn every_variant_is_listed_in_released() {
    for Variant { id, rules, .. } in VARIANTS {
        let written = RELEASED.iter().any(|released| released.1 == *id);
        let json = serde_json::to_string(rules).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        let entry = format!("    (\n        \"{version}\",\n        \"{id}\",\n        r#\"{json}\"#,\n    ),");
        assert!(
            written,
            "add {id} to RELEASED in tests/rules_stored.rs, with the next version if {version} is released:\n{entry}"
        );
    }
}

/// The options that came after the first release, and what it means if stored rules do not have them. An option inside
/// another is written like `siege.open`. For example: `("shield-wall", "false")`.
///
/// Add to this list, and never to the options of the first release: no stored rules have ever been without one of those.
const LATER: &[(&str, &str)] = &[];

/// Checks what rules without one option are read as.
fn check_without(option: &str, without: &Map<String, Value>, with: impl FnOnce(Value) -> Map<String, Value>) {
    match LATER.iter().find(|(later, _)| *later == option) {
        Some((_, default)) => {
            let expected = with(serde_json::from_str(default).unwrap());
            assert_eq!(read(without).unwrap(), read(&expected).unwrap(), "without {option}");
        }
        None => {
            let name = option.rsplit('.').next().unwrap();
            let why = read(without).expect_err(option).to_string();
            assert!(why.contains(&format!("missing field `{name}`")), "without {option}: {why}");
        }
    }
}

#[test]
fn rules_without_an_option_of_the_first_release_are_refused_and_later_options_have_defaults() {
    for variant in VARIANTS {
        let all = options(&serde_json::to_string(&variant.rules).unwrap());
        assert!(all.len() >= 12, "{}", variant.id);
        for (name, value) in &all {
            let mut without = all.clone();
            without.remove(name);
            check_without(name, &without, |default| {
                let mut with = all.clone();
                with.insert(name.clone(), default);
                with
            });
            for part in value.as_object().into_iter().flat_map(Map::keys) {
                let mut without = all.clone();
                without[name].as_object_mut().unwrap().remove(part);
                check_without(&format!("{name}.{part}"), &without, |default| {
                    let mut with = all.clone();
                    with[name][part] = default;
                    with
                });
            }
        }
    }
}

#[test]
fn an_option_or_a_value_of_a_later_version_is_refused_by_name() {
    for (_, id, json) in RELEASED {
        let mut unknown = options(json);
        unknown.insert(String::from("shield-wall"), Value::Bool(true));
        let why = read(&unknown).unwrap_err().to_string();
        assert!(why.contains("unknown field `shield-wall`"), "{id}: {why}");
        for part in ["centre", "corners", "siege"] {
            let mut unknown = options(json);
            unknown[part]["shield-wall"] = Value::Bool(true);
            let why = read(&unknown).unwrap_err().to_string();
            assert!(why.contains("unknown field `shield-wall`"), "{id} {part}: {why}");
        }
        let mut unknown = options(json);
        unknown["goal"] = Value::from("moon");
        let why = read(&unknown).unwrap_err().to_string();
        assert!(why.contains("unknown variant `moon`"), "{id}: {why}");
    }
}

//! Reading the configuration from a file, variables and options.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

/// Reads a configuration for the bot from the text of a file and variables.
fn read(file: Option<&str>, variables: &[(&str, &str)]) -> Result<LoadedConfig, Vec<ConfigError>> {
    let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
    let mut sources = Sources { variables, ..Sources::default() };
    let Some(text) = file else { return LoadedConfig::read(&sources, Purpose::Bot) };
    let path = std::env::temp_dir().join(format!("ratatosk-config-{}-{:x}.toml", std::process::id(), hash(text)));
    std::fs::write(&path, text).unwrap();
    sources.file = Some(path.clone());
    let loaded = LoadedConfig::read(&sources, Purpose::Bot);
    std::fs::remove_file(path).unwrap();
    loaded
}

fn hash(text: &str) -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(text)
}

fn variables(variables: &[(&str, &str)]) -> Result<LoadedConfig, Vec<ConfigError>> {
    read(None, variables)
}

/// Returns the errors of a file, without its path.
fn file_errors(text: &str) -> Vec<String> {
    let errors = read(Some(text), &[]).unwrap_err();
    errors.iter().map(|error| error.to_string().split_once(".toml").unwrap().1.to_owned()).collect()
}

#[test]
fn an_empty_configuration_is_valid() {
    let loaded = variables(&[("DISCORD_TOKEN", " ")]).unwrap();
    assert_eq!(loaded.config, Config::default());
    assert!(loaded.warnings.is_empty() && !loaded.has_token());
}

#[test]
fn a_token_is_never_shown() {
    let loaded = variables(&[("DISCORD_TOKEN", "Bot abc.def.ghi\n")]).unwrap();
    assert_eq!(loaded.config.token.as_ref().unwrap().expose(), "abc.def.ghi");
    assert!(!format!("{loaded:?}").contains("abc"));
    assert!(loaded.lines().all(|(_, value, _)| !value.contains("abc")));
    let errors = variables(&[("DISCORD_TOKEN", "abc def")]).unwrap_err();
    assert!(!errors[0].to_string().contains("abc"), "{errors:?}");
    let token = "MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.0123456789-0123456789-0123456789-012";
    for text in [
        format!("[discord]\ntoken = \"{token}"),
        format!("[discord]\ntoken = {token}"),
        format!("[discord]\ntoken = [\"{token}\"]"),
        format!("{token} = 1"),
        format!("[{token}]"),
        format!(
            "[discord]\nresolve = \"{token}\"\napi = \"{token}\"\n[log]\nlevel = \"{token}\"\n[backup]\nevery = \"{token}\""
        ),
        format!("token {token}"),
    ] {
        let told = told(&text);
        for part in token.split('.') {
            assert!(!told.contains(part), "{text}\n{told}");
        }
    }
}

#[test]
fn a_token_in_the_wrong_place_is_not_shown() {
    let pasted = "MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.0123";
    let errors = variables(&[("RATATOSK_TOKEN_FILE", pasted)]).unwrap_err();
    assert!(!errors[0].to_string().contains("GstanD"), "{errors:?}");
    assert!(!told(&format!("[discord]\ntoken_file = \"{pasted}\"")).contains("GstanD"));
    // With a token in the variable the token file is not read.
    let loaded = variables(&[("RATATOSK_TOKEN_FILE", pasted), ("DISCORD_TOKEN", "abc.def.ghi")]).unwrap();
    assert!(loaded.lines().all(|(_, value, _)| !value.contains("GstanD")));
    for address in ["https://me:hunter2@example.com", "http://me:hunter2@127.0.0.1", "me:hunter2@example.com"] {
        let errors = variables(&[("RATATOSK_DISCORD_API", address)]).unwrap_err();
        assert!(!errors[0].to_string().contains("hunter2"), "{errors:?}");
    }
}

#[test]
fn an_error_in_the_file_is_reported_even_if_a_variable_overrides_it() {
    let errors = read(Some("[discord]\napi = \"example.com\""), &[("RATATOSK_DISCORD_API", "https://example.com")]);
    assert!(
        errors.unwrap_err()[0]
            .to_string()
            .ends_with("line 2: discord.api: `example.com` does not begin with https:// or http://")
    );
}

#[test]
fn an_address_that_no_program_can_call_is_refused() {
    for (address, why) in [
        ("https://", "does not name a machine"),
        ("https:///v10", "does not name a machine"),
        ("https://a b", "does not name a machine"),
        ("https://exa%mple.com", "does not name a machine"),
        ("https://discord..com", "does not name a machine"),
        ("https://discord.com\\x", "does not name a machine"),
        ("https://[::1", "does not name a machine"),
        ("https://[127.0.0.1]", "does not name a machine"),
        ("https://127.0.0.256", "does not name a machine"),
        ("https://1.2.3.4.5", "does not name a machine"),
        ("https://discord.com..", "does not name a machine"),
        ("https://discord.com:0", "port"),
        ("https://discord.com:99999", "port"),
        ("http://127.0.0.1:http/v10", "port"),
        ("http://127.0.0.1:+80", "port"),
        ("http://[::1]x", "port"),
        ("https://discord.com?x=1", "leave out what begins with ?"),
        ("https://discord.com/#top", "leave out what begins with ?"),
    ] {
        let refused = super::endpoint::check_address(address).unwrap_err();
        assert!(refused.contains(why), "{address}: {refused}");
    }
    for address in [
        "https://discord.com",
        "https://discord.com/api",
        "https://discord.com.",
        "https://127.0.0.1",
        "http://[::1]:8080",
        "http://localhost:8080/x",
        "https://discord.com:/x",
    ] {
        assert_eq!(super::endpoint::check_address(address), Ok(()), "{address}");
    }
}

#[test]
fn a_certificate_file_must_contain_one() {
    let said = |path: &Path| {
        let path = path.to_str().unwrap();
        let errors = variables(&[("RATATOSK_DISCORD_CA", path), ("DISCORD_TOKEN", "abc.def.ghi")]);
        errors.map_or_else(|errors| errors[0].to_string(), |_| String::from("fine"))
    };
    assert!(said(&std::env::temp_dir()).contains("is a folder"));
    let path = std::env::temp_dir().join(format!("ratatosk-ca-{}.pem", std::process::id()));
    std::fs::write(&path, "nothing").unwrap();
    assert!(said(&path).contains("has no certificate in it"), "{}", said(&path));
    std::fs::write(&path, "-----BEGIN CERTIFICATE-----\n").unwrap();
    assert_eq!(said(&path), "fine");
    std::fs::remove_file(path).unwrap();
}

fn told(text: &str) -> String {
    read(Some(text), &[]).unwrap_err().iter().map(|error| format!("{error}\n")).collect()
}

#[test]
fn all_errors_are_reported_at_once() {
    let errors = variables(&[
        ("RATATOSK_TOKEN_FILE", "/nowhere/token"),
        ("RATATOSK_DISCORD_API", "http://example.com"),
        ("RATATOSK_DISCORD_RESOLVE", "here"),
        ("RATATOSK_DISCORD_CA", "/nowhere/ca.pem"),
        ("RATATOSK_LOG", "loud"),
        ("RATATOSK_BACKUP_KEEP", "0"),
        ("RATATOSK_BACKUP_EVERY", "daily"),
        ("RATATOSK_DISCORD_ALLOW_PLAIN_HTTP", "maybe"),
    ]);
    let mut told: Vec<String> = errors.unwrap_err().iter().map(ToString::to_string).collect();
    told.sort();
    let begins = [
        "RATATOSK_BACKUP_EVERY: `daily` is not a length of time",
        "RATATOSK_BACKUP_KEEP: write a number",
        "RATATOSK_DISCORD_ALLOW_PLAIN_HTTP: write true or false",
        "RATATOSK_DISCORD_API: the token would be sent unencrypted to example.com",
        "RATATOSK_DISCORD_CA: there is no file",
        "RATATOSK_DISCORD_RESOLVE: `here` is not an address",
        "RATATOSK_LOG: `loud` is not one of error, warn",
        "RATATOSK_TOKEN_FILE: the file that it names cannot be read",
    ];
    assert_eq!(told.len(), begins.len(), "{told:#?}");
    for (told, begins) in told.iter().zip(begins) {
        assert!(told.starts_with(begins), "{told}");
    }
}

#[test]
fn an_error_in_the_file_has_its_key_and_line() {
    let told = file_errors(
        "databse = \"a\"\ntoken = \"abc\"\n\n[discord]\napi = 5\nallow_plain_http = \"true\"\n\n[log]\nlevel = \"loud\"\n\
         format = [\"json\"]\n\n[backup]\nkeep = 0\nevery = \"soon\"\n[logs]\n[dicsord]\n[web]\n",
    );
    assert_eq!(
        told,
        [
            ", line 1: databse: there is no such key; did you mean database?",
            ", line 2: token: there is no such key; did you mean discord.token?",
            ", line 5: discord.api: a number was found where text in quotes is expected",
            ", line 6: discord.allow_plain_http: write true or false, without quotes",
            ", line 9: log.level: `loud` is not one of error, warn, info, debug, trace, off",
            ", line 10: log.format: a list was found where text in quotes is expected",
            ", line 13: backup.keep: write a number from 1 to 10000, without quotes",
            ", line 14: backup.every: `soon` is not a length of time; write 30m, 12h, 1d or 1w, or off",
            ", line 15: logs: there is no such section; did you mean [log]?",
            ", line 16: dicsord: there is no such section; did you mean [discord]?",
            ", line 17: web: there is no such section; the sections are [discord], [log], [backup]",
        ]
    );
}

#[test]
fn syntax_errors_are_reported_with_the_others() {
    let told = file_errors("database = \"a.db\"\ndatabase = \"b.db\"\n[log]\nlevel = info\nformat = \"xml\"\nwhat\n");
    assert_eq!(told.len(), 4, "{told:#?}");
    assert!(told[0].starts_with(", line 2: database: duplicate key"), "{told:#?}");
    assert!(told[1].starts_with(", line 4: ") && told[1].ends_with("text needs quotes"), "{told:#?}");
    assert!(told[2].starts_with(", line 5: log.format: `xml` is not one of text, json"), "{told:#?}");
    assert!(told[3].starts_with(", line 6: "), "{told:#?}");
    let told = file_errors("[log]\nlevel = \"info\"\nlevel = \"warn\"\n");
    assert!(told[0].starts_with(", line 3: log.level: duplicate key"), "{told:#?}");
    assert_eq!(
        file_errors("discord = 1"),
        [", line 1: discord: this is a section: write its keys below a line [discord]"]
    );
}

#[test]
fn variables_override_the_file_and_options_override_both() {
    let file = "database = \"/from/file.db\"\n[log]\nlevel = \"debug\"\nformat = \"json\"\n[backup]\nevery = \"off\"\nkeep = 3";
    let loaded = read(Some(file), &[("RATATOSK_LOG", "warn")]).unwrap();
    assert_eq!(loaded.config.database.as_deref(), Some(Path::new("/from/file.db")));
    assert_eq!(loaded.config.log, LogConfig { level: LevelFilter::WARN, format: LogFormat::Json });
    assert_eq!((loaded.config.backup.every, loaded.config.backup.keep), (None, 3));
    let origin = |name: &str| loaded.lines().find(|(key, ..)| *key == name).unwrap().2.to_string();
    assert!(origin("log.format").ends_with(", line 4"));
    assert_eq!((origin("log.level"), origin("discord.ca")), (String::from("RATATOSK_LOG"), String::from("default")));
    let variables = vec![(OsString::from("RATATOSK_DATABASE"), OsString::from("/from/variable.db"))];
    let sources = Sources { database: Some(PathBuf::from("flag.db")), variables, ..Sources::default() };
    let loaded = LoadedConfig::read(&sources, Purpose::WithoutDiscord).unwrap();
    assert_eq!(loaded.config.database.as_deref(), Some(Path::new("flag.db")));
    assert_eq!(loaded.origins[0], Origin::Flag("--database"));
}

#[test]
fn the_token_sources_have_an_order() {
    let path = std::env::temp_dir().join(format!("ratatosk-token-{}", std::process::id()));
    std::fs::write(&path, "from.the.file\n").unwrap();
    let file = Some("[discord]\ntoken = \"from.the.key\"");
    let token_file = ("RATATOSK_TOKEN_FILE", path.to_str().unwrap());
    let token = |variables: &[(&str, &str)]| read(file, variables).unwrap().config.token.unwrap().expose().to_owned();
    assert_eq!(token(&[]), "from.the.key");
    assert_eq!(token(&[token_file]), "from.the.file");
    let loaded = read(file, &[token_file]).unwrap();
    let origin = loaded.lines().find(|(key, ..)| *key == "discord.token").unwrap().2.clone();
    assert_eq!(origin, Origin::Variable("RATATOSK_TOKEN_FILE"));
    assert_eq!(token(&[token_file, ("DISCORD_TOKEN", "from.the.variable")]), "from.the.variable");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn only_the_token_of_the_example_is_wrong() {
    let told = file_errors(&example());
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].contains("discord.token: this is the token of the example"), "{told:#?}");
    // A token in the variable overrides the sample.
    read(Some(&example()), &[("DISCORD_TOKEN", "abc.def.ghi")]).unwrap();
    // Every commented line is valid when it is uncommented.
    let lines = example().replace("# Default", "## Default");
    let uncommented: String = lines
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.split_once(" = ").is_some_and(|(name, _)| !name.contains(' ')) => format!("{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let told = read(Some(&uncommented), &[("DISCORD_TOKEN", "abc.def.ghi")]).unwrap_err();
    assert_eq!(told.len(), 1, "only the certificate is not there: {told:#?}");
    let set = file::parse(&uncommented, Path::new("a")).entries.len();
    assert_eq!(set, KEYS.len());
}

#[test]
fn the_documented_defaults_are_the_defaults() {
    let mut config = Config::default();
    let before = config.clone();
    for key in KEYS.iter().filter(|key| key.default == format!("`{}`", key.example.trim_matches('"'))) {
        let shown = (key.show)(&config);
        assert_eq!(format!("`{shown}`"), key.default, "{}", key.name);
        let typed = Value::Untyped(OsString::from(key.example.trim_matches('"')));
        (key.set)(&mut config, &RawValue { value: typed, folder: None }).unwrap();
    }
    config.discord.api = None;
    assert_eq!(config, before);
    assert_eq!(keys::LEVELS.len(), 6);
    assert_eq!(Key::find("discord.token").unwrap().example.trim_matches('"'), keys::SAMPLE_TOKEN);
}

#[test]
fn plain_http_to_other_machines_must_be_allowed() {
    for (address, fine) in [
        ("https://proxy.example.com", true),
        ("http://127.0.0.1:8080", true),
        ("http://[::1]:8080/", true),
        ("http://[::1]", true),
        ("http://[::1]/", true),
        ("http://[::1]example.com", false),
        ("http://[2001:db8::1]", false),
        ("http://localhost", true),
        ("http://192.168.1.2:8080", false),
        ("http://127.0.0.1.example.com", false),
        ("http://127.0.0.1@example.com", false),
        ("127.0.0.1:8080", false),
    ] {
        assert_eq!(variables(&[("RATATOSK_DISCORD_API", address)]).is_ok(), fine, "{address}");
    }
    let allowed = ("RATATOSK_DISCORD_ALLOW_PLAIN_HTTP", "true");
    assert!(variables(&[("RATATOSK_DISCORD_API", "http://192.168.1.2:8080"), allowed]).is_ok());
    assert!(variables(&[("RATATOSK_DISCORD_API", "192.168.1.2:8080"), allowed]).is_err());
}

#[test]
fn each_reason_why_a_file_cannot_be_read_is_named() {
    let said = |path: &Path| {
        let sources = Sources { file: Some(path.to_owned()), ..Sources::default() };
        LoadedConfig::read(&sources, Purpose::WithoutDiscord).unwrap_err()[0].to_string()
    };
    assert!(said(&std::env::temp_dir()).contains("this is a folder"));
    assert!(said(Path::new("/nowhere/config.toml")).contains("there is no such file; `ratatosk example-config`"));
    let path = std::env::temp_dir().join(format!("ratatosk-latin-{}.toml", std::process::id()));
    std::fs::write(&path, b"# fine\n# caf\xe9\n").unwrap();
    assert!(said(&path).contains("not UTF-8 text: look at line 2"), "{}", said(&path));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn unknown_variables_are_warned_about() {
    let warnings = variables(&[("RATATOSK_DATABSE", "a.db"), ("RATATOSK_PORT", "80"), ("RATATOSK_DISCORD_TOKEN", "x")]);
    let warnings = warnings.unwrap().warnings;
    assert_eq!(
        warnings,
        [
            "the variable RATATOSK_DATABSE is unknown; did you mean RATATOSK_DATABASE?",
            "the variable RATATOSK_PORT is unknown; `ratatosk example-config` lists the known ones",
            "the variable RATATOSK_DISCORD_TOKEN is unknown; did you mean DISCORD_TOKEN?",
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_causes_a_panic(text in "(\\[\\[?[a-z.]{0,9}\\]?\\]?|[a-z.\"']{0,12} ?=? ?|[0-9truefals\"'\\\\{}#\\n\\[\\],é-]{0,9}|\\PC{0,4}|\n){0,24}") {
        let contents = file::parse(&text, Path::new("config.toml"));
        let mut reading = ConfigReader::new(contents.errors);
        for entry in contents.entries {
            reading.set(entry.key, RawValue { value: entry.value, folder: None }, Origin::Default);
        }
        reading.check_api();
        reading.find_token();
    }

    #[test]
    fn no_bytes_cause_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), section in 0..4usize) {
        let begin = ["", "[discord]\n", "[log]\nlevel = ", "[backup]\nevery = \""][section];
        let text = format!("{begin}{}", String::from_utf8_lossy(&bytes));
        let _ = file::parse(&text, Path::new("config.toml"));
    }

    #[test]
    fn no_value_causes_a_panic(value in "\\PC{0,12}", number in any::<Option<i64>>()) {
        for key in KEYS {
            let mut config = Config::default();
            for value in [Value::Untyped(OsString::from(&value)), Value::Text(value.clone()), Value::Number(number)] {
                let _ = (key.set)(&mut config, &RawValue { value, folder: None });
                let _ = (key.show)(&config);
            }
        }
    }
}

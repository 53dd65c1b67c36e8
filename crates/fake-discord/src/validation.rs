//! Checks messages and commands as Discord does, and reports errors as Discord does.
//!
//! Lengths are counted in UTF-16 code units. Where Discord counts characters, that is stricter.

use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An error response.
#[derive(Clone, Debug)]
pub struct ApiError {
    pub status: u16,
    pub body: Value,
}

/// Returns an error with Discord's code and message.
pub fn api_error<T>(status: u16, code: u32, message: &str) -> Result<T, ApiError> {
    Err(ApiError { status, body: json!({ "code": code, "message": message }) })
}

/// Collects what is wrong with a body, by the path of the field.
#[derive(Default)]
pub struct Validator {
    errors: Value,
}

impl Validator {
    fn wrong(&mut self, path: &str, code: &str, message: &str) {
        let mut at = &mut self.errors;
        for step in path.split('.') {
            at = &mut at[step];
        }
        let complaint = json!({ "code": code, "message": message });
        match at["_errors"].as_array_mut() {
            Some(list) => list.push(complaint),
            None => at["_errors"] = json!([complaint]),
        }
    }

    /// Returns an error if anything was wrong with the body.
    pub fn result(self) -> Result<(), ApiError> {
        if self.errors.is_null() {
            return Ok(());
        }
        let body = json!({ "code": 50035, "message": "Invalid Form Body", "errors": self.errors });
        Err(ApiError { status: 400, body })
    }

    /// Checks the length of a text. With a minimum above zero it is required.
    fn text(&mut self, path: &str, value: &Value, least: usize, most: usize) {
        match value {
            Value::Null if least == 0 => {}
            Value::Null => self.wrong(path, "BASE_TYPE_REQUIRED", "This field is required"),
            Value::String(text) => {
                let length = text.encode_utf16().count();
                if length > most && least == 0 {
                    let message = format!("Must be {most} or fewer in length.");
                    self.wrong(path, "BASE_TYPE_MAX_LENGTH", &message);
                } else if length < least || length > most {
                    let message = format!("Must be between {least} and {most} in length.");
                    self.wrong(path, "BASE_TYPE_BAD_LENGTH", &message);
                }
            }
            _ => self.wrong(path, "STRING_TYPE_CONVERT", "Could not interpret value as string."),
        }
    }

    /// Checks the length of a list, and returns the list.
    fn list<'v>(&mut self, path: &str, value: &'v Value, least: usize, most: usize) -> &'v [Value] {
        let list = match value {
            Value::Null => &[],
            Value::Array(list) => list.as_slice(),
            _ => {
                self.wrong(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
                &[]
            }
        };
        if list.len() < least || list.len() > most {
            let message = format!("Must be between {least} and {most} in length.");
            self.wrong(path, "BASE_TYPE_BAD_LENGTH", &message);
        }
        list
    }

    /// Checks the fields of a message. `at` is its path in the body, with a dot at the end.
    pub fn message(&mut self, at: &str, message: &Value, files: usize) {
        self.text(&format!("{at}content"), &message["content"], 0, 2000);
        self.embeds(at, &message["embeds"]);
        self.components(at, &message["components"]);
        let attachments = self.list(&format!("{at}attachments"), &message["attachments"], 0, 10);
        for (n, attachment) in attachments.iter().enumerate() {
            self.text(&format!("{at}attachments.{n}.description"), &attachment["description"], 0, 1024);
        }
        if files > 10 {
            self.wrong(&format!("{at}attachments"), "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.");
        }
        self.allowed_mentions(at, &message["allowed_mentions"]);
        if let Value::String(_) = message["nonce"] {
            self.text(&format!("{at}nonce"), &message["nonce"], 0, 25);
        }
    }

    fn allowed_mentions(&mut self, at: &str, allowed: &Value) {
        for kind in ["users", "roles"] {
            let named = self.list(&format!("{at}allowed_mentions.{kind}"), &allowed[kind], 0, 100);
            let parsed = allowed["parse"].as_array().is_some_and(|parse| parse.contains(&json!(kind)));
            if parsed && !named.is_empty() {
                let code = "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE";
                let message = format!("parse:[\"{kind}\"] and {kind}: [ids...] are mutually exclusive.");
                self.wrong(&format!("{at}allowed_mentions"), code, &message);
            }
        }
    }

    fn embeds(&mut self, at: &str, embeds: &Value) {
        let mut total = 0;
        let length = |value: &Value| value.as_str().map_or(0, |text| text.encode_utf16().count());
        for (n, embed) in self.list(&format!("{at}embeds"), embeds, 0, 10).iter().enumerate() {
            let at = format!("{at}embeds.{n}");
            self.text(&format!("{at}.title"), &embed["title"], 0, 256);
            self.text(&format!("{at}.description"), &embed["description"], 0, 4096);
            self.text(&format!("{at}.footer.text"), &embed["footer"]["text"], 0, 2048);
            self.text(&format!("{at}.author.name"), &embed["author"]["name"], 0, 256);
            total += length(&embed["title"]) + length(&embed["description"]);
            total += length(&embed["footer"]["text"]) + length(&embed["author"]["name"]);
            for (n, field) in self.list(&format!("{at}.fields"), &embed["fields"], 0, 25).iter().enumerate() {
                self.text(&format!("{at}.fields.{n}.name"), &field["name"], 1, 256);
                self.text(&format!("{at}.fields.{n}.value"), &field["value"], 1, 1024);
                total += length(&field["name"]) + length(&field["value"]);
            }
        }
        if total > 6000 {
            let message = "Embed size exceeds maximum size of 6000";
            self.wrong(&format!("{at}embeds"), "MAX_EMBED_SIZE_EXCEEDED", message);
        }
    }

    fn components(&mut self, at: &str, rows: &Value) {
        let mut ids = BTreeSet::new();
        for (n, row) in self.list(&format!("{at}components"), rows, 0, 5).iter().enumerate() {
            let at = format!("{at}components.{n}");
            if row["type"] != 1 {
                self.wrong(&at, "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1,).");
                continue;
            }
            let parts = self.list(&format!("{at}.components"), &row["components"], 1, 5);
            let menus = parts.iter().filter(|part| part["type"] != 2).count();
            if menus > 0 && parts.len() > 1 {
                let message = "The specified component exceeds the maximum width";
                self.wrong(&at, "COMPONENT_LAYOUT_WIDTH_EXCEEDED", message);
            }
            for (n, part) in parts.iter().enumerate() {
                let at = format!("{at}.components.{n}");
                match part["type"].as_u64() {
                    Some(2) => self.button(&at, part),
                    Some(3) => self.menu(&at, part),
                    _ => self.wrong(&at, "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (2, 3)."),
                }
                if let Some(id) = part["custom_id"].as_str()
                    && !ids.insert(id.to_owned())
                {
                    let message = "Component custom id cannot be duplicated";
                    self.wrong(&format!("{at}.custom_id"), "COMPONENT_CUSTOM_ID_DUPLICATED", message);
                }
            }
        }
    }

    fn button(&mut self, at: &str, button: &Value) {
        let link = button["style"] == 5;
        if !(1..=5).contains(&button["style"].as_u64().unwrap_or(0)) {
            self.wrong(&format!("{at}.style"), "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4, 5}.");
        }
        self.text(&format!("{at}.label"), &button["label"], usize::from(button["emoji"].is_null()), 80);
        if link {
            self.text(&format!("{at}.url"), &button["url"], 1, 512);
        } else {
            self.text(&format!("{at}.custom_id"), &button["custom_id"], 1, 100);
        }
    }

    fn menu(&mut self, at: &str, menu: &Value) {
        self.text(&format!("{at}.custom_id"), &menu["custom_id"], 1, 100);
        self.text(&format!("{at}.placeholder"), &menu["placeholder"], 0, 150);
        let mut values = BTreeSet::new();
        for (n, option) in self.list(&format!("{at}.options"), &menu["options"], 1, 25).iter().enumerate() {
            let at = format!("{at}.options.{n}");
            self.text(&format!("{at}.label"), &option["label"], 1, 100);
            self.text(&format!("{at}.value"), &option["value"], 1, 100);
            match &option["description"] {
                Value::Null => {}
                description => self.text(&format!("{at}.description"), description, 1, 100),
            }
            if !values.insert(option["value"].to_string()) {
                let message = "The specified option value is already used";
                self.wrong(&format!("{at}.value"), "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", message);
            }
        }
    }

    /// Checks suggestions for an option.
    pub fn choices(&mut self, at: &str, choices: &Value) {
        for (n, choice) in self.list(at, choices, 0, 25).iter().enumerate() {
            self.text(&format!("{at}.{n}.name"), &choice["name"], 1, 100);
            if choice["value"].is_string() {
                self.text(&format!("{at}.{n}.value"), &choice["value"], 1, 100);
            }
        }
    }

    /// Checks all commands of an application.
    pub fn commands(&mut self, commands: &Value) {
        let Some(commands) = commands.as_array() else {
            return self.wrong("_", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
        };
        if commands.len() > 100 {
            self.wrong("_", "APPLICATION_COMMANDS_MAX", "Maximum number of application commands reached (100)");
        }
        let mut names = BTreeSet::new();
        for (n, command) in commands.iter().enumerate() {
            let at = n.to_string();
            self.name(&format!("{at}.name"), &command["name"]);
            self.text(&format!("{at}.description"), &command["description"], 1, 100);
            if !names.insert(command["name"].to_string()) {
                let message = "Application command names must be unique";
                self.wrong(&at, "APPLICATION_COMMANDS_DUPLICATE_NAME", message);
            }
            self.options(&at, &command["options"]);
            if command_length(command) > 8000 {
                let message = "Command exceeds maximum size (8000)";
                self.wrong(&at, "APPLICATION_COMMAND_TOO_LARGE", message);
            }
        }
    }

    fn name(&mut self, path: &str, name: &Value) {
        self.text(path, name, 1, 32);
        let fits = |letter: char| (letter.is_alphanumeric() && !letter.is_uppercase()) || "-_'".contains(letter);
        if !name.as_str().is_some_and(|name| name.chars().all(fits)) {
            self.wrong(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
        }
    }

    fn options(&mut self, at: &str, options: &Value) {
        let (mut names, mut optional) = (BTreeSet::new(), false);
        for (n, option) in self.list(&format!("{at}.options"), options, 0, 25).iter().enumerate() {
            let at = format!("{at}.options.{n}");
            self.name(&format!("{at}.name"), &option["name"]);
            self.text(&format!("{at}.description"), &option["description"], 1, 100);
            if !names.insert(option["name"].to_string()) {
                let message = "Option names must be unique";
                self.wrong(&at, "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", message);
            }
            if !(1..=11).contains(&option["type"].as_u64().unwrap_or(0)) {
                self.wrong(&format!("{at}.type"), "BASE_TYPE_CHOICES", "Value must be one of {1..11}.");
            }
            let required = option["required"] == true;
            if required && optional {
                let message = "Required options must be placed before non-required options";
                self.wrong(&at, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", message);
            }
            optional |= !required;
            let choices = &option["choices"];
            if option["autocomplete"] == true && choices.as_array().is_some_and(|choices| !choices.is_empty()) {
                let message = "Autocomplete options cannot have choices";
                self.wrong(&at, "APPLICATION_COMMAND_AUTOCOMPLETE_WITH_CHOICES", message);
            }
            self.choices(&format!("{at}.choices"), choices);
            self.options(&at, &option["options"]);
        }
    }
}

/// Counts the characters of a command as Discord does: names, descriptions and values, with all options.
fn command_length(command: &Value) -> usize {
    let length = |value: &Value| value.as_str().map_or(0, |text| text.encode_utf16().count());
    let own = length(&command["name"]) + length(&command["description"]) + length(&command["value"]);
    let below = ["options", "choices"].iter().filter_map(|key| command[key].as_array()).flatten();
    own + below.map(command_length).sum::<usize>()
}

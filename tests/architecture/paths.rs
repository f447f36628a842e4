//! The paths that a source file names, outside of its comments, texts and tests.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// All paths of the file `file` (as `judge/formats/chat.rs`), from the crate's root where they begin with `crate`, `self` or
/// `super`: `super::super::cli::X` in that file is `crate::cli::X`. Keywords are paths of one name.
pub fn paths(file: &str, text: &str) -> Vec<Vec<String>> {
    let stream: TokenStream = text.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut found = Vec::new();
    walk(stream, &module(file), &mut found);
    found
}

/// The names of the modules around the code of a file.
fn module(file: &str) -> Vec<String> {
    let stem = file.strip_suffix(".rs").unwrap();
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    let is_root = ["lib", "main"].contains(&stem);
    if is_root { Vec::new() } else { stem.split('/').map(str::to_owned).collect() }
}

fn walk(stream: TokenStream, module: &[String], found: &mut Vec<Vec<String>>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Punct(punct) if punct.as_char() == '#' && is_for_tests(tokens.get(at + 1)) => {
                at += 2;
                // To the end of what the attribute is on.
                while at < tokens.len() && !ends_item(&tokens[at]) {
                    at += 1;
                }
                at += 1;
            }
            TokenTree::Ident(word) if word == "mod" => match (tokens.get(at + 1), tokens.get(at + 2)) {
                (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) => {
                    let inner = [module, &[name.to_string()]].concat();
                    walk(body.stream(), &inner, found);
                    at += 3;
                }
                _ => at += 2,
            },
            TokenTree::Ident(_) => at = path(&tokens, at, Vec::new(), module, found),
            TokenTree::Group(group) => {
                walk(group.stream(), module, found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Notes the path that begins at `at`, or the paths where it branches; what comes after it.
fn path(
    tokens: &[TokenTree],
    mut at: usize,
    mut names: Vec<String>,
    module: &[String],
    found: &mut Vec<Vec<String>>,
) -> usize {
    while let Some(TokenTree::Ident(name)) = tokens.get(at) {
        names.push(name.to_string());
        at += 1;
        if !is_joint(tokens, at) {
            break;
        }
        at += 2;
        if let Some(TokenTree::Group(branches)) = tokens.get(at)
            && branches.delimiter() == Delimiter::Brace
        {
            let inner: Vec<TokenTree> = branches.stream().into_iter().collect();
            for branch in
                inner.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','))
            {
                path(branch, 0, names.clone(), module, found);
            }
            return at + 1;
        }
    }
    found.push(absolute(names, module));
    at
}

/// Whether `::` stands here.
fn is_joint(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon =
        |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    is_colon(at) && is_colon(at + 1)
}

fn absolute(names: Vec<String>, module: &[String]) -> Vec<String> {
    let climbs = names.iter().take_while(|name| ["self", "super"].contains(&name.as_str())).count();
    if climbs == 0 {
        return names;
    }
    let up = names.iter().take(climbs).filter(|name| *name == "super").count();
    let around = &module[..module.len().saturating_sub(up)];
    [&["crate".to_owned()], around, &names[climbs..]].concat()
}

/// `[cfg(test)]`
fn is_for_tests(attribute: Option<&TokenTree>) -> bool {
    matches!(attribute, Some(TokenTree::Group(group)) if group.stream().to_string().replace(' ', "") == "cfg(test)")
}

fn ends_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}

//! Parses call syntax: `[spotify.play(track='a', volume=3), pause()]`.
//!
//! `calls := "[" list "]" | list`, `list := call (("," | ";" | newline) call)*`, `call := name "(" argument, … ")"`. What
//! the names and the positional arguments mean is not known here.

use super::python_literal::{Dialect, Scanner, is_word, is_word_start};
use crate::domain::{Json, Object};

/// One call, as written.
#[derive(Debug, PartialEq)]
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: Vec<Argument<'a>>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Argument<'a> {
    /// `None` when it is told by its position.
    pub(super) name: Option<&'a str>,
    pub(super) value: Value<'a>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Value<'a> {
    Literal(Json),
    /// Python's `**{…}`: several arguments with their names.
    Entries(Object),
    /// The source of anything else: a variable, arithmetic, a nested call, a comprehension.
    Expression(&'a str),
}

/// The calls that make up the whole of `text`.
pub(super) fn whole(text: &str) -> Option<Vec<Call<'_>>> {
    let (calls, end) = prefix(text)?;
    text[end..].trim().is_empty().then_some(calls)
}

/// The calls at the start of `text`, and where they end, in bytes.
pub(super) fn prefix(text: &str) -> Option<(Vec<Call<'_>>, usize)> {
    let mut parser = Parser { text, scanner: Scanner::new(text, Dialect::Call), words: "" };
    parser.scanner.skip_space();
    let calls = if parser.scanner.take(b'[') { parser.bracketed()? } else { parser.listed()? };
    Some((calls, parser.scanner.at))
}

struct Parser<'a> {
    text: &'a str,
    scanner: Scanner<'a>,
    /// What else may stand in names.
    words: &'static str,
}

impl<'a> Parser<'a> {
    fn bracketed(&mut self) -> Option<Vec<Call<'a>>> {
        self.words = " /";
        let mut calls = Vec::new();
        let mut separated = true;
        loop {
            self.scanner.skip_space();
            if self.scanner.take(b']') {
                return Some(calls);
            }
            if !separated {
                return None;
            }
            calls.push(self.call()?);
            separated = self.scanner.separator();
        }
    }

    fn listed(&mut self) -> Option<Vec<Call<'a>>> {
        let mut calls = vec![self.call()?];
        loop {
            let end = self.scanner.at;
            let separated = self.scanner.separator();
            self.scanner.skip_space();
            if separated && self.scanner.at_end() {
                return Some(calls);
            }
            match if separated { self.call() } else { None } {
                Some(call) => calls.push(call),
                None => {
                    self.scanner.at = end;
                    return Some(calls);
                }
            }
        }
    }

    fn call(&mut self) -> Option<Call<'a>> {
        let name = self.name()?;
        self.scanner.skip_space();
        self.scanner.take(b'(').then_some(())?;
        let mut arguments = Vec::new();
        let mut comma = true;
        loop {
            self.scanner.skip_space();
            if self.scanner.take(b')') {
                return Some(Call { name, arguments });
            }
            if !comma {
                return None;
            }
            arguments.push(self.argument()?);
            self.scanner.skip_space();
            comma = self.scanner.take(b',');
        }
    }

    /// A name with dots and dashes in it; in brackets, it may be several words.
    fn name(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.scanner.at..];
        if !rest.starts_with(is_word_start) {
            return None;
        }
        let is_part = |c| is_word(c) || c == '.' || c == '-' || self.words.contains(c);
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let name = rest[..end].trim_end();
        self.scanner.at += name.len();
        Some(name)
    }

    fn argument(&mut self) -> Option<Argument<'a>> {
        if let Some(entries) = self.entries() {
            return Some(Argument { name: None, value: Value::Entries(entries) });
        }
        let name = self.keyword();
        self.scanner.skip_space();
        let start = self.scanner.at;
        let literal = self.scanner.value(0);
        self.scanner.skip_space();
        if let (Some(literal), Some(b',' | b')')) = (literal, self.scanner.peek()) {
            return Some(Argument { name, value: Value::Literal(literal) });
        }
        self.scanner.at = start;
        Some(Argument { name, value: Value::Expression(self.expression()?) })
    }

    /// `**{…}`, if that is what stands here.
    fn entries(&mut self) -> Option<Object> {
        let start = self.scanner.at;
        let literal =
            (self.scanner.take(b'*') && self.scanner.take(b'*')).then(|| self.scanner.value(0)).flatten();
        self.scanner.skip_space();
        if let (Some(Json::Object(entries)), Some(b',' | b')')) = (literal, self.scanner.peek()) {
            return Some(entries);
        }
        self.scanner.at = start;
        None
    }

    /// `name =`, if that is what stands here.
    fn keyword(&mut self) -> Option<&'a str> {
        let start = self.scanner.at;
        let name = self.scanner.identifier();
        self.scanner.skip_space();
        if name.is_some() && self.scanner.take(b'=') && self.scanner.peek() != Some(b'=') {
            return name;
        }
        self.scanner.at = start;
        None
    }

    /// The source up to the `,` or `)` that ends an argument. Brackets are kept on a stack of our own: no depth is too deep.
    fn expression(&mut self) -> Option<&'a str> {
        let start = self.scanner.at;
        let mut open = Vec::new();
        loop {
            let byte = self.scanner.peek()?;
            match byte {
                _ if self.scanner.at_quote() => {
                    self.scanner.string_extent()?;
                    continue;
                }
                b'(' => open.push(b')'),
                b'[' => open.push(b']'),
                b'{' => open.push(b'}'),
                b',' | b')' if open.is_empty() => {
                    let source = self.text[start..self.scanner.at].trim();
                    return (!source.is_empty()).then_some(source);
                }
                b')' | b']' | b'}' if open.pop() != Some(byte) => return None,
                _ => {}
            }
            self.scanner.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        let calls = whole(text)?;
        let argument = |argument: &Argument| {
            let name = argument.name.map(|name| format!("{name}=")).unwrap_or_default();
            match &argument.value {
                Value::Literal(json) => format!("{name}{json}"),
                Value::Entries(entries) => format!("**{entries}"),
                Value::Expression(source) => format!("{name}<{source}>"),
            }
        };
        let call = |call: &Call| {
            format!("{}({})", call.name, call.arguments.iter().map(argument).collect::<Vec<_>>().join(", "))
        };
        Some(calls.iter().map(call).collect::<Vec<_>>().join(" & "))
    }

    #[test]
    fn reads_calls() {
        for (text, expected) in [
            ("f()", "f()"),
            ("[f(a=1), g.h(b='x')]", "f(a=1) & g.h(b=\"x\")"),
            ("f(a=1); g()\nh(),", "f(a=1) & g() & h()"),
            ("[\n f(\n  a = 1,\n ),\n]", "f(a=1)"),
            ("f('Oslo', 2, unit=\"c\")", "f(\"Oslo\", 2, unit=\"c\")"),
            ("f(a=true, b=null, c=undefined, d=None, e=`x`)", "f(a=true, b=null, c=null, d=null, e=\"x\")"),
            ("f({host: 'h', opts: {retry: 3}})", r#"f({"host":"h","opts":{"retry":3}})"#),
            ("f(a=[1, (2, 3)], b={'x', 'y'})", r#"f(a=[1,[2,3]], b=["x","y"])"#),
            ("f(x=g(y=1), z=2*3, l=[i for i in r(3)])", "f(x=<g(y=1)>, z=<2*3>, l=<[i for i in r(3)]>)"),
            ("f(x=new T(\"a, b)\"), y=v)", "f(x=<new T(\"a, b)\")>, y=<v>)"),
            ("f(a==1, b=nan)", "f(<a==1>, b=<nan>)"),
            ("f(s='''it's, (so)''', t=2.0f)", "f(s=\"it's, (so)\", t=2.0)"),
            ("f(**{'a': 1}, b=2)", r#"f(**{"a":1}, b=2)"#),
            ("f(**kwargs, **{'a': 1}.b)", "f(<**kwargs>, <**{'a': 1}.b>)"),
            (
                "f(0x10, -0xfF, 0b11, 0o17, 1_000, +2, +.5, 1_0.2_5)",
                "f(16, -255, 3, 15, 1000, 2, 0.5, 10.25)",
            ),
            ("f(0x, 1__0, 1_, _1, +, 0xg)", "f(<0x>, <1__0>, <1_>, <_1>, <+>, <0xg>)"),
            ("get-weather(a=1)", "get-weather(a=1)"),
            ("[Get News / EU(a=1), f ()]", "Get News / EU(a=1) & f()"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_call() {
        for text in [
            "",
            "f",
            "f(",
            "f(a=1",
            "f(a=1))",
            "[f()",
            "f()]",
            "[f() g()]",
            "f() g()",
            "f(,)",
            "f(a=)",
            "f(a=1]",
            "f(a='x)",
            "I would call f(a=1)",
            "Get News(a=1)",
            "f(a=1) now",
            "1(a=2)",
            "f(a={)}",
            "f(a 1, b=it's)",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn hostile_texts_end_soon() {
        for part in
            ["(", "f(", "f(a=[", "f(a=1),", "f(a=(", "f(a='", "f(a,", "[", "f(\"\\", "a.", "{a:", "f({a:"]
        {
            let _ = whole(&part.repeat((1 << 20) / part.len()));
            let _ = whole(&format!("f({}", part.repeat((1 << 20) / part.len())));
        }
    }
}

// The values are data; their reasons name the bugs.

extension FieldKind where Value == String {
    /// Any text, compared by its Unicode scalars.
    public static var text: FieldKind {
        FieldKind(
            corpus: [
                .init("", "empty is taken for missing"),
                .init(" ", "only white space is taken for empty"),
                .init(" before", "white space at the start is trimmed"),
                .init("after ", "white space at the end is trimmed"),
                .init("two  spaces", "white space is merged, as HTML does"),
                .init("\u{A0}hard\u{A0}space\u{A0}", "a hard space is white space for some trimmers only"),
                .init("\ttab\tstops\t", "tabs become spaces"),
                .init("one\ntwo", "line ends are cut or become spaces"),
                .init("one\r\ntwo", "line ends are normalised"),
                .init("one\rtwo", "a lone carriage return is taken for no line end"),
                .init("ends with a line\n", "the last line end is trimmed"),
                .init("a\u{2028}b\u{2029}c\u{85}d", "separators of Unicode end a line in some readers only"),
                .init("e\u{301}", "a letter and its accent are composed (NFC)"),
                .init("\u{E9}", "a letter with accent is decomposed (NFD)"),
                .init("\u{212B} \u{2126}", "signs with a canonical equivalent are replaced by the letters"),
                .init("\u{1112}\u{1161}\u{11AB}", "a syllable of jamo is composed"),
                .init("\u{FB01}\u{2460}\u{FF21}", "compatible letters are folded (NFKC)"),
                .init("\u{130}\u{131}\u{DF}\u{1E9E}\u{17F}", "letters change when the case is folded"),
                .init("UPPER and lower", "the case is folded"),
                .init("\u{FEFF}mark", "a byte order mark is stripped"),
                .init("zero\u{200B}width\u{2060}", "letters without width are stripped"),
                .init("\u{202E}thgir\u{202C} \u{200F}", "marks of direction are stripped"),
                .init("\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{FE0F}", "an emoji of several is taken apart"),
                .init("\u{1F981}", "a letter outside the basic plane becomes two"),
                .init("\u{FFFD} \u{E000} \u{10FFFF}", "private and unassigned letters are replaced"),
                .init("control\u{1}\u{1B}[0m\u{7F}", "control letters are stripped"),
                .init("nul\u{0}letter", "a text of C ends at NUL"),
                .init("\"quoted\" 'single' `back`", "quotes are not escaped"),
                .init("back\\slash \\n \\u0041 \\", "escapes are resolved twice"),
                .init("<b>&amp;&#65;&lt;</b>", "entities of HTML are resolved, or marks stripped"),
                .init("100%25 %41 a+b", "percent escapes are resolved twice"),
                .init("a=b&c;d#e?f/g:h@i", "delimiters of an address or a form end the text"),
                .init("{\"a\":[null]}", "a text that is JSON is read as JSON"),
                .init("%s %@ %1$d ${x} {{y}}", "the text is used as a format"),
                .init("a,b;\"c\"\t|", "delimiters of a table end the text"),
                .init("null", "a word for nothing is taken for nothing"),
                .init("true", "a word for a flag becomes one"),
                .init("007", "a text of digits becomes a number"),
                .init("1e3", "a text that is a number becomes one"),
                .init(String(repeating: "a", count: 255) + "z", "cut at 255 letters"),
                .init(String(repeating: "\u{E9}", count: 128) + "z", "cut at 255 bytes, within a letter"),
                .init(String(repeating: "a", count: 1024) + "z", "cut at 1,024 letters"),
                .init(String(repeating: "a", count: 65_535) + "z", "cut at 65,535 letters"),
            ],
            mistakes: [
                .init("trims") { String($0.unicodeScalars.trimmed(where: \.properties.isWhitespace)) },
                .init("merges white space") { $0.mergingSpaces },
                .init("normalises line ends") { $0.rewriting("\r\n", "\n").rewriting("\r", "\n") },
                .init("composes letters") { $0.rewriting("e\u{301}", "\u{E9}").rewriting("\u{212B}", "\u{C5}") },
                .init("folds the case") { $0.lowercased() },
                .init("cuts at 255 letters") { String($0.unicodeScalars.prefix(255)) },
                .init("ends at NUL") { String($0.unicodeScalars.prefix { $0 != "\0" }) },
                .init("resolves escapes") { $0.rewriting("&amp;", "&").rewriting("%41", "A") },
                .init("strips what is invisible") { text in
                    String(text.unicodeScalars.filter { $0.properties.generalCategory != .format })
                },
                .init("takes empty for missing") { $0.isEmpty ? "unknown" : $0 },
            ]
        )
    }

    /// An id, compared by its Unicode scalars: two that look alike are not the same.
    public static var identifier: FieldKind {
        FieldKind(
            corpus: [
                .init("7", "a text of digits becomes a number"),
                .init("007", "zeros at the start are dropped"),
                .init("-1", "the sign is dropped"),
                .init("9007199254740993", "a number above 2^53 goes through a double"),
                .init("18446744073709551616", "a number above 64 bits overflows"),
                .init("1e3", "digits with an e are read as a float"),
                .init("0x1F", "digits of base 16 are read as a number"),
                .init("Ab-cD", "the case is folded"),
                .init("ab-cd", "the case is folded"),
                .init("F47AC10B-58CC-4372-A567-0E02B2C3D479", "a UUID is respelled"),
                .init("f47ac10b58cc4372a5670e02b2c3d479", "a UUID gets hyphens"),
                .init(" a ", "white space is trimmed"),
                .init("e\u{301}", "letters are composed"),
                .init("\u{E9}", "letters are decomposed"),
                .init("a/b", "a slash begins another part of an address"),
                .init("a%2Fb", "an escape is resolved"),
                .init("a+b", "a plus becomes a space"),
                .init("a:b@c", "a colon separates parts"),
                .init("..", "two dots lead up in a path"),
                .init(String(repeating: "0", count: 256), "cut at 255 letters"),
            ],
            mistakes: [
                .init("drops zeros at the start") { id in
                    let rest = id.drop { $0 == "0" }
                    return rest.isEmpty ? "0" : String(rest)
                },
                .init("goes through a double") { id in
                    Double(id).flatMap { UInt64(exactly: $0) }.map { "\($0)" } ?? id
                },
                .init("folds the case") { $0.lowercased() },
                .init("trims") { String($0.unicodeScalars.trimmed(where: \.properties.isWhitespace)) },
                .init("resolves escapes") { $0.rewriting("%2F", "/") },
                .init("composes letters") { $0.rewriting("e\u{301}", "\u{E9}") },
                .init("cuts at 255 letters") { String($0.unicodeScalars.prefix(255)) },
            ]
        )
    }

    /// An address, in the vendor's spelling.
    public static var url: FieldKind {
        FieldKind(
            corpus: [
                .init("https://example.com", "a slash is added"),
                .init("https://example.com/", "the last slash is dropped"),
                .init("http://example.com/a", "the scheme is replaced"),
                .init("https://example.com/a%2Fb/c%20d", "escapes are resolved"),
                .init("https://example.com/%c3%a9", "the case of escapes is changed"),
                .init("https://example.com/a//b/./c/../d", "parts of the path are resolved"),
                .init("https://example.com/?q=a+b&q=c&empty=", "parameters are ordered, merged or dropped"),
                .init("https://example.com/#part", "the fragment is dropped"),
                .init("https://example.com:443/", "the usual port is dropped"),
                .init("https://EXAMPLE.com/Path", "the case is folded"),
                .init("https://b\u{FC}cher.example/", "letters beyond ASCII are encoded"),
                .init("https://user:word@example.com/", "user and password are dropped"),
                .init("data:text/plain;base64,QQ==", "only addresses of the web are read"),
                .init("mailto:a@example.com?subject=a%20b", "only addresses of the web are read"),
                .init("https://example.com/?" + String(repeating: "a", count: 2083), "cut at 2,083 letters"),
            ],
            mistakes: [
                .init("resolves escapes") { $0.rewriting("%2F", "/").rewriting("%20", " ") },
                .init("drops the last slash") { $0.hasSuffix("/") ? String($0.dropLast()) : $0 },
                .init("folds the case") { $0.lowercased() },
                .init("replaces the scheme") { $0.rewriting("http://", "https://") },
                .init("drops the fragment") { String($0.prefix { $0 != "#" }) },
                .init("cuts at 2,048 letters") { String($0.prefix(2048)) },
            ]
        )
    }

    /// A language, as a tag of BCP 47 in the vendor's spelling.
    public static var language: FieldKind {
        FieldKind(
            corpus: [
                .init("de", "a region is added"),
                .init("de-AT", "the region is dropped"),
                .init("pt-BR", "the region is dropped"),
                .init("zh-Hant-TW", "the script is dropped"),
                .init("sr-Latn", "the script is dropped"),
                .init("en-US-u-ca-buddhist", "extensions are dropped"),
                .init("iw", "an old code is replaced by the new one"),
                .init("und", "the unknown language is replaced by a default"),
                .init("x-klingon", "a private language is replaced by a default"),
                .init("es-419", "a region of digits is dropped"),
            ],
            mistakes: [
                .init("drops the region") { String($0.prefix { $0 != "-" }) },
                .init("writes underscores") { $0.rewriting("-", "_") },
                .init("renews old codes") { $0 == "iw" ? "he" : $0 },
                .init("replaces what it does not know") { ["und", "x-klingon"].contains($0) ? "en" : $0 },
            ]
        )
    }
}

extension FieldKind where Value == [UInt8] {
    /// Bytes, compared one by one.
    public static var bytes: FieldKind {
        FieldKind(
            corpus: [
                .init([], "empty is taken for missing"),
                .init([0], "bytes end at 0"),
                .init(Array(0...255), "bytes are read as a text"),
                .init([0xC3, 0x28, 0xFF], "what is no UTF-8 is replaced"),
                .init([0xEF, 0xBB, 0xBF, 0x41], "a byte order mark is stripped"),
                .init([0x0D, 0x0A, 0x0D, 0x0A], "line ends are normalised"),
                .init([0x1F, 0x8B, 0x08, 0], "what looks compressed is unpacked"),
                .init([1, 2, 3, 0, 0], "zeros at the end are dropped"),
                .init(Array(repeating: 7, count: 65_536), "cut at 65,535 bytes"),
            ],
            mistakes: [
                .init("goes through a text") { Array(String(decoding: $0, as: UTF8.self).utf8) },
                .init("ends at 0") { Array($0.prefix { $0 != 0 }) },
                .init("normalises line ends") { $0.filter { $0 != 0x0D } },
                .init("cuts at 65,535 bytes") { Array($0.prefix(65_535)) },
                .init("takes empty for missing") { $0.isEmpty ? [0] : $0 },
            ]
        )
    }
}

extension String {
    /// The text with each run of these scalars replaced. (`replacing` compares by canonical equivalence.)
    fileprivate func rewriting(_ old: String, _ new: String) -> String {
        let (text, old) = (Array(unicodeScalars), Array(old.unicodeScalars))
        var result = UnicodeScalarView()
        var index = 0
        while index < text.count {
            if text[index...].starts(with: old) {
                result.append(contentsOf: new.unicodeScalars)
                index += old.count
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return String(result)
    }

    fileprivate var mergingSpaces: String {
        var result = UnicodeScalarView()
        for scalar in unicodeScalars where scalar != " " || result.last != " " { result.append(scalar) }
        return String(result)
    }
}

extension BidirectionalCollection {
    fileprivate func trimmed(where isTrimmed: (Element) -> Bool) -> SubSequence {
        guard let end = lastIndex(where: { !isTrimmed($0) }) else { return self[endIndex...] }
        return self[...end].drop(while: isTrimmed)
    }
}

import SettingsPorts

/// Documents as people write them, each named after what it tests.
public enum Samples {
    /// Documents that are read field by field.
    static let plain: [(name: String, document: SampleDocument)] = [
        (
            "whole",
            SampleDocument(
                """
                title: Ámara
                theme: dark
                fontSize: 12.5
                launches: 7
                isBeta: true
                note: |
                  two
                  lines
                tags: [a, b]
                shortcuts: {k: kill}
                """,
                Profile(
                    title: "Ámara",
                    theme: .dark,
                    fontSize: 12.5,
                    launches: 7,
                    isBeta: true,
                    note: "two\nlines\n",
                    tags: ["a", "b"],
                    shortcuts: ["k": "kill"]
                )
            )
        ),
        ("title alone", SampleDocument("title: a\n", Profile(title: "a"))),
        (
            "zeros",
            SampleDocument(
                "title: ''\nfontSize: 0\nlaunches: 0\nisBeta: false\ntags: []\nshortcuts: {}\n",
                Profile(title: "", fontSize: 0)
            )
        ),
        ("unusual letters", SampleDocument("title: \"😀 \\u0007 é\"\n", Profile(title: "😀 \u{7} é"))),
        ("Windows line ends", SampleDocument("title: a\r\nlaunches: 3\r\n", Profile(title: "a", launches: 3))),
        (
            "anchors",
            SampleDocument("title: &t again\nnote: *t\n", Profile(title: "again", note: "again"))
        ),
        (
            "merged",
            SampleDocument(
                "base: &b {theme: light, launches: 3}\ntitle: a\n<<: *b\nlaunches: 4\n",
                Profile(title: "a", theme: .light, launches: 4)
            )
        ),
    ]

    /// Numbers that must arrive exactly.
    static let exact: [(name: String, document: SampleDocument)] = [
        (
            "2^53-1",
            SampleDocument(
                "title: a\nlaunches: 9007199254740991\n",
                Profile(title: "a", launches: 9_007_199_254_740_991)
            )
        ),
        ("Int.max", SampleDocument("title: a\nlaunches: 9223372036854775807\n", Profile(title: "a", launches: .max))),
        ("tenth", SampleDocument("title: a\nfontSize: 0.1\n", Profile(title: "a", fontSize: 0.1))),
        ("small", SampleDocument("title: a\nfontSize: 5e-324\n", Profile(title: "a", fontSize: 5e-324))),
    ]

    /// Texts in quotes that would not be texts without the quotes.
    static let quotedTexts: [(name: String, document: SampleDocument)] = [
        ("'' as a note", SampleDocument("title: a\nnote: ''\n", Profile(title: "a", note: ""))),
        ("'~' as a note", SampleDocument("title: a\nnote: '~'\n", Profile(title: "a", note: "~"))),
        ("\"null\" as a note", SampleDocument("title: a\nnote: \"null\"\n", Profile(title: "a", note: "null"))),
        ("'' as a theme", SampleDocument("title: a\ntheme: ''\n", Profile(title: "a", theme: .other("")))),
        ("'12' as a title", SampleDocument("title: '12'\n", Profile(title: "12"))),
        ("'no' as a tag", SampleDocument("title: a\ntags: ['no', '~']\n", Profile(title: "a", tags: ["no", "~"]))),
    ]

    static let quotedBooleans: [(name: String, document: SampleDocument)] = [
        ("'true'", SampleDocument("title: a\nisBeta: 'true'\n", Profile(title: "a", isBeta: true))),
        ("\"yes\"", SampleDocument("title: a\nisBeta: \"yes\"\n", Profile(title: "a", isBeta: true))),
        ("'off'", SampleDocument("title: a\nisBeta: 'off'\n", Profile(title: "a"))),
    ]

    static let quotedNumbers: [(name: String, document: SampleDocument)] = [
        ("'7' launches", SampleDocument("title: a\nlaunches: '7'\n", .wrongType(key: "launches"))),
        ("'null' launches", SampleDocument("title: a\nlaunches: 'null'\n", .wrongType(key: "launches"))),
        ("\"12.5\" points", SampleDocument("title: a\nfontSize: \"12.5\"\n", .wrongType(key: "fontSize"))),
    ]

    static let duplicates: [(name: String, document: SampleDocument)] = [
        ("title twice", SampleDocument("title: a\nlaunches: 1\ntitle: b\n", .duplicateKey("title"))),
        ("shortcut twice", SampleDocument("title: a\nshortcuts:\n  k: kill\n  k: keep\n", .duplicateKey("k"))),
        ("1 and '1'", SampleDocument("title: a\nshortcuts:\n  1: one\n  '1': two\n", .duplicateKey("1"))),
    ]

    static let broken: [(name: String, document: SampleDocument)] = [
        ("an open bracket", SampleDocument("title: a\ntags: [a\n", .syntax(line: 3))),
        ("a tab", SampleDocument("title: a\ntags:\n\t- a\n", .syntax(line: 3))),
        ("an unknown alias", SampleDocument("title: a\nnote: *n\n", .syntax(line: 2))),
        ("two documents", SampleDocument("title: a\n---\ntitle: b\n", .syntax(line: 2))),
        ("an empty document", SampleDocument("", .notAProfile)),
        ("a list", SampleDocument("- a\n", .notAProfile)),
        ("a text", SampleDocument("secret\n", .notAProfile)),
        ("a mapping without a title", SampleDocument("launches: 1\n", .missingKey("title"))),
        ("a text for a list", SampleDocument("title: a\ntags: b\n", .wrongType(key: "tags"))),
        ("a list for a number", SampleDocument("title: a\nlaunches: [1]\n", .wrongType(key: "launches"))),
        (
            "a number that is too big",
            SampleDocument("title: a\nlaunches: 9223372036854775808\n", .wrongType(key: "launches"))
        ),
    ]

    /// All samples, grouped by what they test.
    public static let groups: [(name: String, samples: [(name: String, document: SampleDocument)])] = [
        ("plain", plain), ("exact", exact), ("quoted texts", quotedTexts), ("quoted Booleans", quotedBooleans),
        ("quoted numbers", quotedNumbers), ("duplicates", duplicates), ("broken", broken),
    ]

    public static var all: [(name: String, document: SampleDocument)] { groups.flatMap(\.samples) }

    /// Profiles that are saved and read again.
    static let saved: [Profile] =
        [
            "", "~", "null", "no", "yes", "true", "1", "0x1F", "1e3", "1:30", "2026-11-25", "=", "- a", "a: b", "# a",
            "'a'",
        ]
        .flatMap {
            [
                Profile(title: $0, note: $0),
                Profile(title: "a", theme: .other("t\($0)"), tags: [$0], shortcuts: [$0: $0]),
            ]
        }
        + [
            Profile(title: "a\nb\r\nc\t d", note: " a "),
            Profile(title: "\u{7}\u{85}\u{2028}\u{FEFF}😀"),
            Profile(title: String(repeating: "long ", count: 40)),
            Profile(title: "a", fontSize: -0.0, launches: .min),
            Profile(title: "a", fontSize: 1e21),
            Profile(title: "a", fontSize: -.infinity),
            Profile(title: "a", fontSize: 5e-324),
            Profile(title: "a", fontSize: 123_456_789.123_456_789, launches: .max, isBeta: true),
            Profile(title: "<<", theme: .light, note: "<<", tags: ["<<"], shortcuts: ["k": "<<"]),
        ]
}

extension FieldKind where Value == Bool {
    /// True or false.
    public static var flag: FieldKind {
        FieldKind(
            corpus: [.init(false, "false is taken for missing"), .init(true, "true is taken for present")],
            mistakes: [.init("shows false always") { _ in false }, .init("shows true always") { _ in true }]
        )
    }
}

extension FieldKind {
    /// A value of another kind, or nil.
    public static func optional<Wrapped>(_ kind: FieldKind<Wrapped>) -> FieldKind where Value == Wrapped? {
        var mistakes = kind.mistakes.map { mistake in Mistake(mistake.name) { $0.map(mistake.make) } }
        if let first = kind.corpus.first?.value {
            mistakes.append(.init("replaces nil by a default") { $0 ?? first })
            mistakes.append(.init("replaces a default by nil") { $0 == first ? nil : $0 })
        }
        var optional = FieldKind(
            corpus: [.init(nil, "nothing is taken for a default")]
                + kind.corpus.map { .init($0.value, $0.reason) },
            mistakes: mistakes
        )
        optional.refused = kind.refused.map { .init($0.value, $0.reason) }
        return optional
    }

    /// One of these values, or one that the vendor adds later.
    ///
    /// - Parameters:
    ///   - known: the vendor's names with their values. Tried besides are names that resemble them.
    ///   - unknown: makes the value of an unknown name, whose spelling it keeps; nil if the set is closed.
    public static func enumeration(
        _ known: KeyValuePairs<String, Value>,
        unknown: (@Sendable (String) -> Value)? = nil
    ) -> FieldKind {
        let names = known.map(\.key)
        var examples = known.map { Example($0.value, "the vendor's \"\($0.key)\"") }
        var mistakes: [Mistake] = []
        if let first = known.first?.value, known.count > 1 {
            mistakes.append(.init("shows one value always") { _ in first })
        }
        if let unknown {
            let similar = (names.first ?? "").lowercased()
            let others = [
                ("", "an empty name is taken for missing"), (similar.uppercased(), "the case is folded"),
                (" \(similar)", "white space is trimmed"), (String(similar.dropLast()), "a name is completed"),
                (similar + "s", "a name is cut"), ("unheard-of", "an unknown name is dropped or replaced"),
                ("null", "a word for nothing is taken for nothing"), ("e\u{301}", "letters are composed"),
            ]
            let strange = others.filter { !names.contains($0.0) }.map { Example(unknown($0.0), $0.1) }
            examples += strange
            let (values, default_) = (Set(strange.map(\.value)), known.first?.value ?? unknown(""))
            mistakes.append(.init("replaces an unknown value by a default") { values.contains($0) ? default_ : $0 })
            let folded = unknown(similar.uppercased())
            mistakes.append(.init("folds the case") { $0 == folded ? default_ : $0 })
        }
        return FieldKind(corpus: examples, mistakes: mistakes)
    }

    /// A list whose elements are of another kind, in the vendor's order.
    public static func list<Element>(_ kind: FieldKind<Element>) -> FieldKind where Value == [Element] {
        let all = kind.corpus.map(\.value)
        let two = Array(all.prefix(2))
        var list = FieldKind(
            corpus: [
                .init([], "an empty list is taken for missing"),
                .init(Array(all.prefix(1)), "a list of one is unwrapped"),
                .init(two + two, "elements that repeat are merged"), .init(two, "the order is changed"),
                .init(two.reversed(), "the order is changed"), .init(all, "an unusual element is left out"),
                .init((0..<101).compactMap { all.isEmpty ? nil : all[$0 % all.count] }, "cut at 100 elements"),
            ],
            mistakes: kind.mistakes.map { mistake in .init(mistake.name) { $0.map(mistake.make) } } + [
                .init("sorts") { $0.sorted { "\($0)" < "\($1)" } },
                .init("reverses") { $0.reversed() },
                .init("drops the last element") { $0.dropLast() },
                .init("merges elements that repeat") { list in
                    var seen: Set<Element> = []
                    return list.filter { seen.insert($0).inserted }
                },
                .init("cuts at 100 elements") { Array($0.prefix(100)) },
            ]
        )
        list.refused = kind.refused.map { .init([$0.value], $0.reason) }
        return list
    }
}

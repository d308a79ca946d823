extension Translation {
    /// This translation for each value of a dictionary, in the order of the keys; the value of "lion" at "animals" is
    /// reported at "animals[lion]".
    ///
    /// - Parameter path: the dictionary's place in the payload.
    @inlinable
    @inline(__always)
    public func keyed<Key: Hashable & Comparable>(
        by key: Key.Type = Key.self,
        at path: String = "",
        policy: TranslationPolicy = .collect
    ) -> KeyedTranslation<Self, Key> {
        KeyedTranslation(self, TranslatedList(at: path, policy: policy))
    }
}

/// A translation of dictionaries; made by ``Translation/keyed(by:at:policy:)``.
@frozen
public struct KeyedTranslation<Base: Translation, Key: Hashable & Comparable>: Translation {
    @usableFromInline let base: Base
    @usableFromInline let list: TranslatedList

    @inlinable
    @inline(__always)
    init(_ base: Base, _ list: TranslatedList) {
        self.base = base
        self.list = list
    }

    /// Translates each value, in the order of the keys.
    @inlinable
    public func read(
        _ source: [Key: Base.Source],
        _ report: inout TranslationReport
    ) throws(TranslationIssue) -> [Key: Base.Target] {
        var targets: [Key: Base.Target] = [:]
        targets.reserveCapacity(source.count)
        var losses = TranslationLosses(in: list)
        for (key, value) in source.sorted(by: { $0.key < $1.key }) {
            let mark = report.count
            do throws(TranslationIssue) {
                targets[key] = try base.read(value, &report)
                if report.count != mark { report.place(since: mark, at: "\(list.path)[\(key)]") }
            } catch {
                try losses.add(error, since: mark, at: "\(list.path)[\(key)]", to: &report)
            }
        }
        try losses.judge(of: source.count)
        return targets
    }
}

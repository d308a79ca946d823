extension Comparator {
    /// Compares two lists whose elements are found by a key, whatever their order: in the order of the legacy list, then
    /// what only the candidate has.
    ///
    /// An element that one side lacks is a difference at the path ``Difference/presence``. Where a key comes more than once,
    /// the first is compared with the first, the second with the second, and what is left over is lacking.
    public func differences<Key: Hashable>(
        legacy: [Value],
        candidate: [Value],
        key: (Value) -> Key,
        subject: (Value) -> String
    ) -> [Difference] {
        let legacyByKey = Dictionary(grouping: legacy, by: key)
        let candidateByKey = Dictionary(grouping: candidate, by: key)
        var seen: Set<Key> = []
        return (legacy + candidate).flatMap { value -> [Difference] in
            let key = key(value)
            guard seen.insert(key).inserted else { return [] }
            let (old, new) = (legacyByKey[key] ?? [], candidateByKey[key] ?? [])
            return (0..<max(old.count, new.count)).flatMap { index in
                difference(
                    index < old.count ? old[index] : nil,
                    index < new.count ? new[index] : nil,
                    subject: subject(value)
                )
            }
        }
    }

    private func difference(_ legacy: Value?, _ candidate: Value?, subject: String) -> [Difference] {
        if let legacy, let candidate { return differences(legacy: legacy, candidate: candidate, subject: subject) }
        return [
            Difference(
                subject: subject,
                path: Difference.presence,
                legacy: legacy.map(whole),
                candidate: candidate.map(whole)
            )
        ]
    }
}

extension StoredUpgrade {
    /// - Parameter subject: where it was read: a file, a key.
    /// - Throws: ``UpgradeStoreError`` with `unreadable` for numbers that no count reaches, and for names that no unit can have.
    package func check(in subject: String) throws(UpgradeStoreError) {
        let numbers: [(name: String, value: Int64)] = [
            ("revision", revision), ("epoch", Int64(state.epoch)), ("attempt", Int64(state.attempt)),
            ("since", state.since), ("seq", Int64(kill?.seq ?? 0)),
        ]
        for (name, value) in numbers where !(0...(1 << 52)).contains(value) {
            throw UpgradeStoreError(.unreadable, "\(name) is \(value)", subject: subject)
        }
        if let problem = state.named.problem { throw UpgradeStoreError(.unreadable, problem, subject: subject) }
    }
}

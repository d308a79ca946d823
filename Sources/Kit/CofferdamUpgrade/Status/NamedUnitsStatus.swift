/// The units that are on the candidate by their names, as a status has them.
package struct NamedUnitsStatus: Codable, Sendable, Hashable {
    /// In their order.
    package var units: [String]
    /// Set while they are on the legacy side although they are on the list.
    package var areHeldBack: Bool
    /// What the candidate did for them in this epoch; nil where no named unit was counted.
    package var counts: NamedUnitCounts?

    /// Nil where no unit is named, and none was counted.
    init?(_ named: NamedUnits, _ newest: GateReading?) {
        counts = newest.flatMap { NamedUnitCounts($0.metrics) }
        guard !named.units.isEmpty || counts != nil else { return nil }
        (units, areHeldBack) = (named.units.sorted(), named.areHeldBack)
    }

    /// "3 named units are on the candidate: 2 seen, 1 failed at placeOrder": for people.
    package func text(at stage: Stage, kill: KillSwitch.Target?) -> String {
        let seen = counts?.text ?? "none seen in this epoch"
        if units.isEmpty { return "no unit is named any more: \(seen)" }
        let number = units.count == 1 ? "1 named unit is" : "\(units.count) named units are"
        return "\(number) \(place(at: stage, kill)): \(seen)"
    }

    private func place(at stage: Stage, _ kill: KillSwitch.Target?) -> String {
        switch kill {
        case .legacy: return "on the legacy side, by the kill switch"
        case .candidate: return "on the candidate, with all others"
        case .freeze, nil: break
        }
        if stage >= .candidateWithFallback { return "on the candidate, with all others" }
        return areHeldBack ? "held back on the legacy side until the next step, or allow" : "on the candidate"
    }
}

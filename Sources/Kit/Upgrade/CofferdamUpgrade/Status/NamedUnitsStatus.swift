/// The units that use the candidate because they are named, as a status shows them.
package struct NamedUnitsStatus: Codable, Sendable, Hashable {
    /// The names, sorted.
    package var units: [String]
    /// Whether the units are held back on the legacy side although they are listed.
    package var isHeldBack: Bool
    /// What was counted of named units on the candidate in this epoch; nil if no named unit was counted.
    package var counts: NamedUnitCounts?

    /// Nil if no unit is named and none was counted.
    init?(_ named: NamedUnits, _ newest: GateReading?) {
        counts = newest.flatMap { NamedUnitCounts($0.metrics) }
        guard !named.units.isEmpty || counts != nil else { return nil }
        (units, isHeldBack) = (named.units.sorted(), named.isHeldBack)
    }

    /// Returns a text for people, such as "3 named users are on V2: 2 seen, 1 failed at placeOrder".
    package func text(at stage: Stage, kill: KillSwitch.Target?) -> String {
        let seen = counts?.text ?? "none seen at this stage"
        if units.isEmpty { return "no user is named any more: \(seen)" }
        let number = units.count == 1 ? "1 named user is" : "\(units.count) named users are"
        return "\(number) \(place(at: stage, kill)): \(seen)"
    }

    private func place(at stage: Stage, _ kill: KillSwitch.Target?) -> String {
        switch kill {
        case .legacy: return "on V1, because V2 is stopped"
        case .candidate: return "on V2, with all others"
        case .freeze, nil: break
        }
        if stage >= .candidateWithFallback { return "on V2, with all others" }
        return isHeldBack ? "held back on V1 until the next step or `allow`" : "on V2"
    }
}

#if Server
import CofferdamDevice
import CofferdamUpgrade

/// The operations of an upgrade. What devices call besides is counted as one, so that no device can take the place of
/// an operation in the counts.
struct KnownOperations: Sendable {
    /// The name under which all others are counted together.
    static let others = "(other)"
    /// The least share of the legacy side's units that call an operation which is known from its baseline.
    private static let leastShare = 0.01

    /// Those that the team named, by upgrade.
    let named: [String: Set<String>]

    init(_ capabilities: [HostedCapability]) {
        named = Dictionary(uniqueKeysWithValues: capabilities.map { ($0.name, $0.operations) })
    }

    /// Returns the operations that are known at that stage; nil if any may be new, because none is.
    func names(at stage: ServedStage) -> Set<String>? {
        var names = named[stage.capability] ?? []
        if let baseline = stage.baseline, stage.stage != .legacyOnly {
            let least = Double(baseline.units.total) * Self.leastShare
            names.formUnion(baseline.operations.filter { Double($0.value.units.total) >= least }.keys)
        }
        return names.isEmpty ? nil : names
    }

    /// Returns why the counts of an epoch do not suffice for a step up, for people; nil if no unit called an operation
    /// that is not known.
    static func gap(in reading: GateReading) -> String? {
        let units =
            (reading.promoting ?? reading.metrics).filter { $0.key.operation == others }.map(\.value.total).max()
            ?? 0
        guard units > 0 else { return nil }
        return "\(units) units called operations that this server does not know: they are not judged; "
            + "name the app's operations with --operations"
    }
}
#endif

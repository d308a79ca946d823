#if Fleet
import Cofferdam
import CofferdamUpgrade

/// When the processes of a fleet last wrote their counters, and which ones.
struct LastWrites {
    /// A process's newest write: what it counts now.
    private struct Write {
        /// "canary(500), epoch 3".
        var place: String
        var key: String
        /// The build, if no process has both sides.
        var arm: Arm?
        /// In seconds, by Prometheus's clock; negative if the process's own clock is ahead.
        var age: Double
    }

    private var writes: [InstanceCounts.Life: Write] = [:]
    private let epoch: Int
    private let place: String
    private let bound: Int

    /// - Parameters:
    ///   - samples: for each series, how many seconds ago it was written.
    ///   - stage: the stage to look for.
    ///   - bound: how many seconds ago, or ahead, a write may be.
    init(_ samples: [PrometheusClient.Sample], at stage: Stage, epoch: Int, within bound: Int) {
        self.epoch = epoch
        self.bound = bound
        place = Self.place(stage.rawValue, "\(epoch)")
        for sample in samples {
            guard let age = Double(sample.value), abs(age) < Self.longest else { continue }
            let (life, labels) = (InstanceCounts.Life(sample.labels), sample.labels)
            if let known = writes[life], known.age <= age { continue }
            writes[life] = Write(
                place: Self.place(labels["stage"] ?? "", labels["epoch"] ?? ""),
                key: labels["key"] ?? "",
                arm: Arm(labels: labels),
                age: age
            )
        }
    }

    /// In seconds: beyond any clock's setting, and small enough to be shown as a whole number.
    private static let longest = 1e12

    private static func place(_ stage: String, _ epoch: String) -> String { "\(stage), epoch \(epoch)" }

    /// The instances that count now in that epoch, by key; unexpected ones too.
    var keys: [String: Set<String>] {
        var keys: [String: Set<String>] = [:]
        for (life, write) in writes where write.place == place && abs(write.age) <= Double(bound) {
            keys[write.key, default: []].insert(life.instance)
        }
        return keys
    }

    /// The builds whose instances count now in that epoch, by key; nil unless each key is that of a build with one side.
    var arms: [String: Arm]? {
        var arms: [String: Arm] = [:]
        for write in writes.values where write.place == place && abs(write.age) <= Double(bound) {
            guard let arm = write.arm else { return nil }
            arms[write.key] = arm
        }
        return arms.isEmpty ? nil : arms
    }

    /// How many seconds ago each instance last wrote, by name.
    var ages: [String: Double] { newest.mapValues(\.age) }

    private var newest: [String: Write] {
        Dictionary(writes.map { ($0.key.instance, $0.value) }) { $0.age < $1.age ? $0 : $1 }
    }

    /// Why the counts of these instances are unknown, for people; empty if they are known.
    func gaps(of instances: Set<String>) -> [String] {
        guard writes.values.contains(where: { $0.place == place }) else {
            return ["no instance has counted anything in epoch \(epoch)"]
        }
        let newest = newest
        let gaps = instances.sorted().compactMap { gap(of: $0, newest[$0]) }
        let keys = keys
        // Builds with one side each are compared, not summed.
        guard keys.count > 1, arms == nil else { return gaps }
        let names = keys.sorted { $0.key < $1.key }.map { key, instances in
            "\(key) at \(instances.sorted().joined(separator: ", "))"
        }
        return gaps + [
            "it is counted under \(keys.count) keys, of which only one may remain: \(names.joined(separator: "; "))"
        ]
    }

    private func gap(of instance: String, _ write: Write?) -> String? {
        guard let write else { return "\(instance) does not say when it wrote its counters" }
        let allowed = "and \(bound) s are allowed"
        if write.age > Double(bound) {
            return "\(instance) wrote its counters \(Int(write.age)) s ago, \(allowed)"
        }
        if write.age < -Double(bound) { return "\(instance)'s clock is \(Int(-write.age)) s ahead, \(allowed)" }
        return write.place == place ? nil : "\(instance) counts at \(write.place)"
    }
}

extension Arm {
    /// The build of a series; nil if its process has both sides.
    init?(labels: [String: String]) {
        guard let build = labels["build"], let side = labels["side"].flatMap(Side.init(rawValue:)) else { return nil }
        self.init(side, build: build)
    }
}
#endif

#if CommandLine
import ArgumentParser

/// The places of a fleet's upgrades and of its counts.
struct FleetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The fleet's etcd instead of a directory: addresses, separated by commas.",
            valueName: "urls"
        )
    )
    var etcd: String?

    @Option(
        help: ArgumentHelp(
            "The fleet's Prometheus, for the evidence; required for promotion.",
            valueName: "url"
        )
    )
    var prometheus: String?

    @Option(help: "The instances' label 'job' in Prometheus.")
    var job: String?

    @Option(
        help: ArgumentHelp(
            "The 'instance' labels of all required instances, separated by commas; the gate holds if one is missing.",
            valueName: "names"
        )
    )
    var instances: String?

    @Option(
        help: ArgumentHelp(
            "The maximum age of an instance's last scrape and write (default: 60): at least twice the scrape interval.",
            valueName: "seconds"
        )
    )
    var freshness: Int?

    func validate() throws {
        if prometheus == nil, job != nil || instances != nil || freshness != nil {
            throw ValidationError("--job, --instances and --freshness need --prometheus.")
        }
        guard prometheus != nil else { return }
        if etcd == nil { throw ValidationError("--prometheus needs --etcd.") }
        if (job ?? "").isEmpty {
            throw ValidationError("--prometheus needs --job, the instances' job in Prometheus.")
        }
        try checkInstances()
        if let freshness, !(1...86_400).contains(freshness) {
            throw ValidationError("--freshness must be 1 to 86400 seconds.")
        }
    }

    /// The fleet; nil without `--etcd`.
    var place: FleetPlace? {
        guard let etcd else { return nil }
        guard let prometheus, let job else { return FleetPlace(etcd: etcd) }
        return FleetPlace(
            etcd: etcd,
            prometheus: .init(address: prometheus, job: job, instances: Set(names), freshness: freshness)
        )
    }

    private var names: [String] {
        (instances ?? "").split(separator: ",", omittingEmptySubsequences: false).map(UpgradeArguments.trimmed)
    }

    private func checkInstances() throws {
        guard instances != nil else {
            throw ValidationError("--prometheus needs --instances, all that are required.")
        }
        var known: Set<String> = []
        for (place, name) in names.enumerated() {
            if name.isEmpty { throw ValidationError("--instances: name \(place + 1) is empty.") }
            // A repeated name is probably a typo for another one, whose absence would go unnoticed.
            if !known.insert(name).inserted { throw ValidationError("--instances: \(name) is named twice.") }
        }
    }
}
#endif

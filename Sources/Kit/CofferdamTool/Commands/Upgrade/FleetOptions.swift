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
                throw ValidationError("--job, --instances and --freshness are Prometheus's: name it with --prometheus.")
            }
            guard prometheus != nil else { return }
            if etcd == nil { throw ValidationError("--prometheus is for a fleet, whose etcd --etcd names.") }
            if (job ?? "").isEmpty { throw ValidationError("Name with --job how Prometheus calls the instances' job.") }
            try checkInstances()
            if let freshness, !(1...86_400).contains(freshness) {
                throw ValidationError("--freshness is 1 to 86400 seconds.")
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
            guard instances != nil else { throw ValidationError("Name with --instances all that must be there.") }
            var known: Set<String> = []
            for (place, name) in names.enumerated() {
                if name.isEmpty { throw ValidationError("--instances: number \(place + 1) has no name.") }
                // A repeated name is probably a typo for another one, whose absence would go unnoticed.
                if !known.insert(name).inserted { throw ValidationError("--instances: \(name) is there twice.") }
            }
        }
    }
#endif

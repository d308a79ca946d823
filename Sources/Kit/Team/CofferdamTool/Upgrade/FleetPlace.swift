/// The place of a fleet's upgrades, and of its counts.
public struct FleetPlace: Sendable, Hashable {
    /// The addresses of the fleet's etcd, separated by commas.
    public var etcd: String
    /// The fleet's Prometheus; nil if not given. Then there is no evidence.
    public var prometheus: Prometheus?

    /// The place of the instances' counters, and which instances count.
    public struct Prometheus: Sendable, Hashable {
        /// The server's base URL.
        public var address: String
        /// Prometheus's label `job`.
        public var job: String
        /// The labels `instance` of all required instances.
        public var instances: Set<String>
        /// The maximum age of an instance's last scrape and last write, in seconds; nil for the default.
        public var freshness: Int?

        package init(address: String, job: String, instances: Set<String>, freshness: Int? = nil) {
            self.address = address
            self.job = job
            self.instances = instances
            self.freshness = freshness
        }
    }

    package init(etcd: String, prometheus: Prometheus? = nil) {
        self.etcd = etcd
        self.prometheus = prometheus
    }
}

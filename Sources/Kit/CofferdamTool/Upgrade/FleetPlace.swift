/// Where the upgrades of many instances are kept, and where it is counted what they see.
public struct FleetPlace: Sendable, Hashable {
    /// Of their etcd, with commas between them.
    public var etcd: String
    /// Nil if not given; then there is no evidence.
    public var prometheus: Prometheus?

    /// Where the instances' counters are, and whose count.
    public struct Prometheus: Sendable, Hashable {
        /// The server's base URL.
        public var address: String
        /// Prometheus's label `job`.
        public var job: String
        /// Prometheus's label `instance`, of all that must be there.
        public var instances: Set<String>
        /// How old the last scrape of an instance may be, and what it has written last, in seconds; nil for what is usual.
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

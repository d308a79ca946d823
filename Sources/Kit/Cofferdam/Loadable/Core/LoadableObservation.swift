#if canImport(Observation)
    public import Observation  // SwiftUI observes what is Observable

    /// A loadable for SwiftUI and for `withObservationTracking`: reading ``snapshot`` observes its next change. Keep it as
    /// long as the screen; it holds the loadable.
    public final class ObservedLoadable<Contents: Sendable>: Observable, Sendable {
        /// The observed loadable.
        public let loadable: Loadable<Contents>
        private let registrar = ObservationRegistrar()
        private let token = Mutex<ListenerToken?>(nil)

        /// - Parameter isActive: whether to keep the loadable in sync meanwhile.
        public init(_ loadable: Loadable<Contents>, isActive: Bool = false) {
            self.loadable = loadable
            let token = loadable.observe(isActive: isActive) { [weak self] _ in
                guard let self else { return }
                self.registrar.withMutation(of: self, keyPath: \.snapshot) {}
            }
            self.token.withLock { $0 = token }
        }

        /// The loadable's current snapshot.
        public var snapshot: LoadableSnapshot<Contents> {
            registrar.access(self, keyPath: \.snapshot)
            return loadable.snapshot
        }
    }
#endif

#if canImport(Observation)
    public import Observation  // SwiftUI follows what is Observable

    /// A provider's value for Observation: a view that reads ``current`` is drawn again when it changes.
    ///
    /// Observers are notified on the thread that changes the value, after the change. When released, it stops
    /// listening.
    public final class ObservedProvider<Value: Sendable>: Observable, Sendable {
        private let provider: Provider<Value>
        private let registrar = ObservationRegistrar()
        private let listening = Mutex<ListenerToken?>(nil)

        /// Observes a provider for as long as this is held.
        init(_ provider: Provider<Value>) {
            self.provider = provider
            let token = provider.listen { [weak self] _ in
                guard let self else { return }
                registrar.withMutation(of: self, keyPath: \.current) {}
            }
            listening.withLock { $0 = token }
        }

        /// The current value.
        public var current: Value {
            registrar.access(self, keyPath: \.current)
            return provider.current
        }
    }

    extension Provider {
        /// This provider for Observation, as long as the result is kept.
        public var observed: ObservedProvider<Value> { ObservedProvider(self) }
    }
#endif

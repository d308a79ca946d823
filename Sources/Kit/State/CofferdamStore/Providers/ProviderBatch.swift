import Cofferdam

/// Receives one notification for each update that changes any of a batch's providers, after the providers' own
/// delegates.
public protocol ProviderBatchDelegate: AnyObject, Sendable {
    /// Called once for each update, or once after ``ProviderBatch/resume()``.
    ///
    /// - Parameters:
    ///   - providers: the providers that changed, in the batch's order.
    ///   - context: the context of the update; after a pause, of the last one.
    func providerBatch(
        _ batch: ProviderBatch,
        changed providers: [any StoreProvider],
        context: (any Sendable)?
    )
}

/// Several providers with one notification: a screen with a header and a list is drawn once when both change.
///
/// A provider may be in several batches. The batch holds its providers strongly.
public final class ProviderBatch: Sendable {
    private struct State {
        weak var delegate: (any ProviderBatchDelegate)?
        var affected: Set<ObjectIdentifier> = []
        var context: (any Sendable)?
        var isPaused = false
        var isResuming = false
        var listenings: [StoreListenerToken] = []
    }

    /// The providers of the batch.
    public let providers: [any StoreProvider]
    private let state = Mutex(State())

    /// Creates a batch of providers.
    public init(_ providers: [any StoreProvider], delegate: (any ProviderBatchDelegate)? = nil) {
        self.providers = providers
        state.withLock { $0.delegate = delegate }
        var stores: [Store] = []
        for provider in providers {
            let registration = provider.registration
            registration.join(self)
            if !stores.contains(where: { $0 === registration.store }) { stores.append(registration.store) }
        }
        let listenings = stores.map { $0.listenToUpdates { [weak self] _ in self?.flush() } }
        state.withLock { $0.listenings = listenings }
    }

    /// Notified of changes; held weakly.
    public var delegate: (any ProviderBatchDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    // MARK: Pausing

    /// Whether the batch is paused.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Pauses all of its providers. Idempotent.
    public func pause() {
        state.withLock { $0.isPaused = true }
        for provider in providers { provider.pause() }
    }

    /// Resumes all of its providers and notifies the delegate once. Idempotent.
    public func resume() {
        state.withLock { ($0.isPaused, $0.isResuming) = (false, true) }
        for provider in providers { provider.resume() }
        // A store delivers in order: this runs after the deliveries that the resumed providers have queued.
        guard let store = providers.last?.registration.store else { return }
        store.turn { turn in
            turn.afterDeliveries {
                self.state.withLock { $0.isResuming = false }
                self.flush()
            }
        }
    }

    var isResuming: Bool { state.withLock { $0.isResuming } }

    // MARK: Notifications of its providers

    func note(_ provider: any StoreProvider, context: (any Sendable)?) {
        state.withLock { state in
            state.affected.insert(ObjectIdentifier(provider))
            state.context = context
        }
    }

    func flush() {
        var pending = State()
        state.withLock { state in
            guard !state.isResuming else { return }
            (pending.delegate, pending.affected, pending.context) = (state.delegate, state.affected, state.context)
            (state.affected, state.context) = ([], nil)
        }
        guard let delegate = pending.delegate, !pending.affected.isEmpty else { return }
        let changed = providers.filter { pending.affected.contains(ObjectIdentifier($0)) }
        delegate.providerBatch(self, changed: changed, context: pending.context)
    }
}

import Cofferdam
import CofferdamCurl
public import CofferdamUpgrade  // it is a store that can be watched

extension EtcdUpgradeStore: UpgradeStoreWatching {
    /// Tells once when etcd can be asked first, and then of each change, also of those that it made while it could not be asked:
    /// where the watch has ended, what is stored is compared.
    public func changes(of capability: String) -> AsyncStream<Void> {
        let last = Mutex(EtcdReading?.none)
        return AsyncStream {
            do {
                let now = try await self.change(of: capability, since: last.withLock { $0 })
                last.withLock { $0 = now }
                return ()
            } catch {
                // Nothing but the reader's cancellation.
                return nil
            }
        }
    }

    /// - Parameter known: nil to return as soon as it can be read at all.
    /// - Throws: `CancellationError`.
    private func change(of capability: String, since known: EtcdReading?) async throws -> EtcdReading {
        var attempts = 0
        while true {
            var watched: ContinuousClock.Instant?
            do {
                let now = try await reading(capability)
                guard let known, now.stored == known.stored else { return now }
                watched = pacing.now()
                // From the revision that was read, not the one at which the keys were changed: that may be forgotten by now.
                if try await gateway.waitForChange(in: keys(capability).watched, from: now.clusterRevision + 1) {
                    attempts = 0
                    continue
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                // Whoever reads the store is told; here it is tried again.
            }
            // However it has ended, it has waited for its time: a kill switch must not wait for the next one as after a failure.
            if let watched, watched.duration(to: pacing.now()) >= Backoff.etcd.maximum { attempts = 0 }
            attempts += 1
            try await pacing.pause(Backoff.etcd.wait(attempt: attempts, random: pacing.random()))
        }
    }
}

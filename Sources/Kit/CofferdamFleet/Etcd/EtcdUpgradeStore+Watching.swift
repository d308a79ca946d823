import Cofferdam
import CofferdamCurl
public import CofferdamUpgrade  // it is a store that can be watched

extension EtcdUpgradeStore: UpgradeStoreWatching {
    public func change(of capability: String, since stored: StoredUpgrade?) async throws {
        var attempts = 0
        while true {
            do {
                let now = try await reading(capability)
                guard now.stored == stored else { return }
                // From the revision that was read, not the one at which the keys were changed: that may be forgotten by now.
                if try await gateway.waitForChange(in: keys(capability).watched, from: now.clusterRevision + 1) {
                    return
                }
                attempts = 0
            } catch let error as CancellationError {
                throw error
            } catch {
                // Whoever reads is told; here it is tried again.
                attempts += 1
            }
            try await pacing.pause(Backoff.etcd.wait(attempt: max(attempts, 1), random: pacing.random()))
        }
    }
}

import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import TestSupport

/// A user who listens, leaves and returns, and notes every element.
struct ChaosListener: Sendable {
    let name: String
    let run: ChaosRun
    let feed: ChaosFeed
    let notes: Ledger

    /// Returns when the feed's last event has arrived.
    func listen(seed: UInt64) async {
        var dice = Dice(seed: seed)
        var life = 0
        while !Task.isCancelled {
            life += 1
            if await listen(as: "\(name).\(life)", &dice) { return }
            // Comes back later.
            try? await feed.clock.sleep(for: .seconds(1 + dice.roll(5)))
        }
    }

    private func listen(as name: String, _ dice: inout Dice) async -> Bool {
        let (session, port) = run.session(of: self.name, listening: true)
        notes.add(name, "listens", "\(run.streamSide(of: session))")
        var left = dice.roll(3) == 0 ? dice.roll(100) : .max
        var iterator = port.events(for: name).makeAsyncIterator()
        do {
            while left > 0 {
                guard let element = try await iterator.next(isolation: nil) else { break }
                note(element, as: name)
                if let number = element.number, feed.isLast(number) { return true }
                left -= 1
                if dice.roll(4) == 0 { session.cutOver() }
                if dice.roll(20) == 0 { try await feed.clock.sleep(for: .seconds(dice.roll(20))) }
            }
        } catch is ZooError {
            // The side has failed.
        } catch is StreamHandoverTimedOut {
            // The other side never caught up.
        } catch is CancellationError where Task.isCancelled {
            return true
        } catch {
            run.world.report("the stream \(name) throws \(error)")
        }
        return false
    }

    private func note(_ element: SimulatedElement, as name: String) {
        switch element {
        case .event(let event, _): notes.add(name, "delivered", "\(event.number)")
        case .recovered(let event): notes.add(name, "recovered", "\(event.number)")
        case .gap(let after, let before):
            notes.add(name, "gap", after.map(String.init) ?? "-", before.map(String.init) ?? "-")
        case .acknowledged, .replayEnded: break
        }
    }
}

import CofferdamTesting
import Cofferdam
import CofferdamUpgrade
import TestSupport

extension ChaosRun {
    /// The engine counts the crash of the previous process; after too many it does not open the candidate.
    func judgeStart() {
        // The chaos judges the candidate; what was under way on the legacy side alone is no crash of it.
        guard let end = calls.crash, end.calls > 0 else { return }
        let state = control.state
        if calls.hasCrashedTooOften, state.kill?.target != .freeze, state.stage != .legacyOnly {
            world.report("three unclean ends, and it starts at \(state.stage)")
        }
        guard end.epoch == state.epoch else { return }
        let inShadow = recorder.outcomes[.candidateFailed]
        let failed = recorder.reading(afterSeconds: 1).metrics[.candidateFailures]?.failures ?? 0
        if inShadow < end.shadowUnits || inShadow + failed < max(1, end.units + end.shadowUnits) {
            world.report("\(end), counted are \(failed), and \(inShadow) in the shadow")
        }
    }

    /// Waits for the calls in the shadow.
    func drain() async {
        let drained = Log<Void>()
        Task {
            await settings.shadowQueue.drained()
            drained.add(())
        }
        let start = world.clock.now.offset
        while drained.entries.isEmpty {
            if world.clock.now.offset - start > OpenCalls.deadline { return world.report("the shadow never ends") }
            await Task.yield()
        }
    }

    /// Sends one last event to all listeners.
    func endFeed(_ listeners: [Task<Void, Never>], _ finished: Log<String>) async {
        for side in Side.allCases { world.behave(side, ChaosFaults()) }
        world.feed.calm()
        for tick in 0..<20_000 {
            if finished.entries.count == listeners.count { return }
            // Repeatedly: a listener that comes late, and gets no replay, receives the next one.
            if tick % 40 == 39 { world.feed.publishLast() }
            world.feed.tick()
            for _ in 0..<10 { await Task.yield() }
        }
        world.report("of \(listeners.count) who listen only \(finished.entries) hear the end")
        for listener in listeners { listener.cancel() }
        world.feed.tick()
    }

    func judgeEnd() async {
        for _ in 0..<1_000_000 where calls.inFlight > 0 { await Task.yield() }
        if calls.inFlight != 0 { world.report("\(calls.inFlight) calls are noted when all have ended") }
        if open.count != 0 { world.report("\(open.count) calls are open when all have ended") }
        let sampled = recorder.outcomes.sampled
        if sampled > Self.units { world.report("\(sampled) of \(Self.units) units were compared") }
        let stored = try? await store.read(Self.capability)?.routing
        if engine.status.pendingRequests.isEmpty, let stored, stored != control.state {
            world.report("the routes follow \(control.state), stored is \(stored)")
        }
    }

    /// A description of what was checked, for people.
    var summary: String {
        let slowest = obeyed.entries.max() ?? .zero
        return "\(watch.counts.refusals) of \(watch.counts.calls) calls refused, "
            + "\(obeyed.entries.count) kills obeyed within \(slowest) each"
    }
}

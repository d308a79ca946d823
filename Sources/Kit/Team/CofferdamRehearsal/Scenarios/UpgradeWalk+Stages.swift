import Cofferdam
import CofferdamUpgrade

// The walk stage by stage, led by the engine.
extension UpgradeWalk {
    mutating func walk() async throws {
        while report.outcome == nil {
            let stage = control.state.stage
            var run = ScenarioReport.StageRun(stage, epoch: control.state.epoch, startedAt: now().inSeconds)
            let budget = try StageBudget(
                at: stage,
                of: plan.attempt(1, against: watch.recorder.baseline),
                compared: compared,
                returning: options.habits.returning
            )
            run.needs = budget.need
            watch.startEpoch()
            progress("\(scenario.name): \(stage), opening what it needs")
            try await traffic.router.open(for: stage)
            let ending = try await runStage(&run, budget)
            end(&run)
            report.stages.append(run)
            switch ending {
            case .nextStage: break
            case .end(let outcome): report.outcome = outcome
            case .sentBack:
                try await continueTraffic(after: run, "rolled back")
                report.outcome = .rolledBack
            case .killed:
                let before = traffic.ledger.loss
                try await continueTraffic(after: run, "rescued")
                report.outcome = traffic.ledger.loss == before ? .rescued : .stuck
            }
        }
    }

    /// How a stage of the walk ends.
    private enum Ending {
        case nextStage, sentBack, killed
        case end(ScenarioOutcome)
    }

    /// Counts at one stage until there is a decision.
    private mutating func runStage(_ run: inout ScenarioReport.StageRun, _ budget: StageBudget) async throws -> Ending {
        let (traffic, maxVisits) = (traffic, budget.maxVisits)
        var isEnough = false
        while run.visits < maxVisits, !isEnough {
            // If the app relaunches now and then, this is the number of visits until it does.
            let next = scenario.fault?.restartsAfter.map { min(run.visits + $0, maxVisits) } ?? maxVisits
            var ending: Ending?
            run.visits = try await traffic.run(run.visits..<next) { visits in
                run.visits = visits
                show(run, of: maxVisits)
                ending = try await externalEnding(&run)
                if ending == nil { ending = try await killIfNeeded(&run) }
                if ending == nil { ending = try await gateEnding(&run) }
                isEnough = isKnown(run, budget)
                return ending == nil && !isEnough
            }
            if let ending { return ending }
            if let ending = try await crashEnding(&run) { return ending }
            if next < maxVisits, !isEnough { try await restart() }
        }
        switch run.stage {
        case options.stages.first:
            run.verdict = "a person advances"
            run.why = "enough is known about the old side"
            do { try await engine.advance(run.why) } catch let refusal as UpgradeRefusal {
                // The users' calls are not enough to compare with, such as those of users who always give up.
                (run.verdict, run.why) = ("no decision", refusal.description)
                return .end(.stuck)
            }
            return .nextStage
        case options.stages.last where scenario.fault == .breakingLater && !hours.havePassed:
            progress("\(scenario.name): \(run.stage), an hour later")
            hours.pass()
            var later = budget
            later.maxVisits *= 2
            return try await runStage(&run, later)
        case options.stages.last:
            run.verdict = "arrived"
            return .end(.arrived)
        default:
            run.verdict = "no decision"
            return .end(.stuck)
        }
    }

    /// Whether the first stage has counted as many units and calls as the baseline needs.
    private func isKnown(_ run: ScenarioReport.StageRun, _ budget: StageBudget) -> Bool {
        guard run.stage == options.stages.first, let need = budget.need else { return false }
        return min(watch.counts.units - watch.counts.givenUp, watch.timed(.legacy)) >= need.units
    }

    /// Closes the app in order and starts it again. Users return at once, and instances are opened when they are
    /// needed.
    private mutating func restart() async throws {
        traffic.followers?.appCloses()
        for _ in 0..<Self.maxPauses where traffic.process.inFlight > 0 {
            try await traffic.settings.clock.sleep(for: Self.pauseTime)
        }
        traffic.process.leave()
        await instances.close()
        traffic.router.renew()
        try await engine.start()
    }

    private static var maxPauses: Int { 200 }
    private static var pauseTime: Duration { .milliseconds(5) }

    /// Asks the gate and has its decision carried out; nil while it holds.
    private mutating func gateEnding(_ run: inout ScenarioReport.StageRun) async throws -> Ending? {
        // A person has frozen the upgrade: the gate's decisions are not carried out.
        guard !isWatched || control.state.kill == nil else { return nil }
        guard let decision = try await engine.decide() else { return nil }
        run.addPoint(of: decision, at: now().inSeconds)
        if decision.verdict == .hold { return nil }
        run.setVerdict(of: decision)
        report.decisions.append(decision)
        return switch decision.verdict {
        case .hold: nil
        case .promote: .nextStage
        case .undecided: .end(.stuck)
        case .rollBack: .sentBack
        }
    }

    /// How a person who watches has ended the stage; nil if the walk goes on at this stage.
    private func externalEnding(_ run: inout ScenarioReport.StageRun) async throws -> Ending? {
        guard isWatched else { return nil }
        await engine.refresh()
        let state = control.state
        guard state.epoch != run.epoch || state.kill.map({ $0.target != .freeze }) ?? false else { return nil }
        let entry = try await engine.log(last: 1).first
        run.verdict = entry?.request.action.name ?? "moved"
        run.why = entry.map { "\($0.request.by): \($0.request.reason)" } ?? ""
        switch state.kill?.target {
        case .legacy?: return .sentBack
        case .candidate?: return .killed
        default: return state.stage == .legacyOnly ? .sentBack : .nextStage
        }
    }

    /// Starts the next process if the app has crashed; nil unless the crash aborted the upgrade.
    private mutating func crashEnding(_ run: inout ScenarioReport.StageRun) async throws -> Ending? {
        guard traffic.process.hasEnded else { return nil }
        let calls = try await engine.start()
        report.crashes.append(.init(stage: run.stage, seconds: now().inSeconds, calls: calls))
        guard control.state.stage != run.stage, let entry = try await engine.log(last: 1).first else { return nil }
        run.verdict = entry.request.action.name
        run.why = entry.request.reason
        return .sentBack
    }

    /// If most of the old side's calls fail, a person does not wait for a gate that judges the new side.
    private func killIfNeeded(_ run: inout ScenarioReport.StageRun) async throws -> Ending? {
        guard let share = watch.takeBatch(of: .legacy).rate, share >= 0.5 else { return nil }
        run.verdict = "kill switch to candidate"
        run.why = "\(Int((share * 100).rounded())) % of the old side's calls fail"
        try await engine.kill(.candidate, run.why)
        return .killed
    }

    /// After the end, lets users continue on the remaining side.
    private mutating func continueTraffic(after last: ScenarioReport.StageRun, _ verdict: String) async throws {
        var run = ScenarioReport.StageRun(
            control.state.stage(),
            epoch: control.state.epoch,
            startedAt: now().inSeconds
        )
        watch.startEpoch()
        // A kill switch does not begin an epoch: repeating the same visits would write the same keys twice.
        run.visits = try await traffic.run(last.visits..<last.visits + options.batch * 2) - last.visits
        run.verdict = verdict
        end(&run)
        report.rest = run
    }

    private mutating func end(_ run: inout ScenarioReport.StageRun) {
        run.end(at: now().inSeconds, watch.latencies, watch.counts)
        report.counts += watch.counts
    }

    /// The share of the visits that are compared: reads, and the first page of walks.
    private var compared: Double { options.mix.share(of: [.read, .walk], among: upgrade.operations) }

    private func show(_ run: ScenarioReport.StageRun, of maxVisits: Int) {
        let share = run.points.last.map { ", evidence \(Int(max(0, $0.promotion) * 100)) %" } ?? ""
        progress("\(scenario.name): \(run.stage), visit \(run.visits) of at most \(maxVisits)\(share)")
    }
}

extension Decision {
    /// The reason in one line.
    var why: String { reasons.first?.description ?? verdict.rawValue }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}

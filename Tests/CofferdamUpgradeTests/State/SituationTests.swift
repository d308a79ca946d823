import Cofferdam
import CofferdamGate
import CofferdamSupport
@testable import CofferdamUpgrade
import Testing
import UpgradeTestSupport

@Suite("What people on call are told") struct SituationTests {
    static let stages: [Stage] = [
        .legacyOnly, .shadow(sample: 2_000), .shadow(sample: .all), .canary(share: 500), .candidateWithFallback,
        .candidateShadowed(sample: 1_000), .candidateOnly,
    ]
    static let kills: [KillSwitch.Target?] = [nil, .legacy, .candidate, .freeze]

    private func status(
        _ stage: Stage,
        _ kill: KillSwitch.Target? = nil,
        counts: [Metric: FailureCounts] = [:],
        change: (inout StoredUpgrade) throws -> Void = { _ in }
    ) throws -> CapabilityStatus {
        let plan = try UpgradePlan([
            .legacyOnly, .shadow(sample: 2_000), .shadow(sample: .all), .canary(share: 500), .canary(share: 5_000),
            .candidateWithFallback, .candidateShadowed(sample: 1_000), .candidateOnly,
        ])
        var stored = StoredUpgrade(state: UpgradeState(capability: "orders", since: 0), revision: 1)
        stored.state.stage = stage
        stored.state.epoch = stage == .legacyOnly ? 0 : 2
        stored.kill = kill.map { KillSwitch($0, by: "amara", reason: "orders fail") }
        try change(&stored)
        let reading = GateReading(stage: stage, epoch: stored.state.epoch, seconds: 600, metrics: counts)
        let snapshot = EvidenceSnapshot(capability: "orders", at: 600_000, reading: reading, outcomes: OutcomeCounts())
        return CapabilityStatus("orders", plan, stored, counts.isEmpty ? [] : [snapshot], now: 610_000)
    }

    private static let canary: [Metric: FailureCounts] = [
        .candidateFailures: FailureCounts(4, of: 6_000),
        Metric.candidateFailures.includingOpenWindows: FailureCounts(4, of: 6_031),
        .canaryFailures: FailureCounts(4, of: 106), .activeUnits: FailureCounts(6_031, of: 122_031),
    ]

    @Test(arguments: stages, kills)
    func `the sentence says where users are, whatever stage and switch come together`(
        stage: Stage,
        kill: KillSwitch.Target?
    ) throws {
        let situation = try status(stage, kill, counts: Self.canary).situation
        let (onV1, onV2) = (situation.now.contains("users are on V1"), situation.now.contains("users are on V2"))
        switch kill {
        case .legacy: #expect(onV1 && !onV2 && situation.now.contains("amara stopped V2."))
        case .candidate: #expect(onV2 && !onV1)
        case .freeze, nil:
            #expect(onV1 == (stage.side == .legacy), "\(situation.now)")
            #expect(onV2 == (stage.side != .legacy), "\(situation.now)")
            if stage.side == nil { #expect(situation.now.contains("5 % of users are on V2.")) }
        }
        #expect((situation.tone == .trouble) == (kill != nil))
        #expect(situation.reason == (kill == nil ? nil : "orders fail"))
        #expect(situation.next.contains("a person lifts the stop") == (kill == .freeze))
    }

    @Test(arguments: stages, kills)
    func `no word of statistics or of the code is in a sentence`(stage: Stage, kill: KillSwitch.Target?) throws {
        for counts in [[:], Self.canary] {
            let status = try status(stage, kill, counts: counts)
            let text = "\(status.inBrief) \(status.situation.now) \(status.situation.next)".lowercased()
            for word in [
                "ln e", "mixture", "epoch", "settled", "baseline", "unit", "legacy", "candidate", "shadow", "canary",
            ] { #expect(!text.contains(word), "\(text)") }
        }
    }

    @Test func `a canary shows for how many users each version failed`() throws {
        let situation = try status(.canary(share: 500), counts: Self.canary).situation
        #expect(
            situation.now
                == "5 % of users are on V2. 4 of 6,031 had a failure on V2 (0.07 %); on V1 102 of 116,000 (0.09 %)."
        )
        #expect(situation.next.hasPrefix("Next: 50 % on V2, after "), "\(situation.next)")
        #expect(situation.next.contains("more users without a failure"))
        #expect(situation.tone == .calm)
    }

    @Test func `named users and operations with a stage of their own are exceptions, unless the switch overrules them`()
        throws
    {
        func exceptional(_ kill: KillSwitch.Target?) throws -> String {
            try status(.legacyOnly, kill) { stored in
                stored.state.epoch = 1
                stored.state.overrides = ["search": .canary(share: 2_000)]
                try stored.state.named.allow(["ada", "ben"])
            }.situation.now
        }
        #expect(try exceptional(nil) == "In `search`: 20 % on V2. 2 named users are on V2. All other users are on V1.")
        #expect(try exceptional(.legacy) == "All users are on V1: amara stopped V2.")
        #expect(try exceptional(.candidate) == "All users are on V2: amara switched to it.")
    }

    @Test func `what went back does not look like what has not begun`() throws {
        let fresh = try status(.legacyOnly).situation
        #expect(fresh.now == "All users are on V1. The upgrade has not begun." && fresh.tone == .calm)
        let back = try status(.legacyOnly) { stored in
            (stored.state.waiting, stored.state.attempt, stored.state.epoch) = (.rolledBack, 2, 3)
        }.situation
        #expect(back.now == "V2 was withdrawn. All users are on V1." && back.tone == .waiting)
        #expect(back.next.contains("see what happened"))
    }

    @Test func `what went back says when, by whom and why`() throws {
        let canary = Requests.stored(at: .canary(share: 500))
        let decision = try Requests.decision(at: .canary(share: 500)) {
            $0.metrics[.canaryFailures] = FailureCounts(1_200, of: 1_210)
        }
        func situation(_ action: UpgradeAction, by: String, reason: String) throws -> Situation {
            let request = UpgradeRequest(action, by: by, reason: reason, at: 1_764_405_840_000, id: "1")
            let change = try canary.applying(request, plan: Readings.plan())
            var status = CapabilityStatus("catalogue", try Readings.plan(), change.after, [], now: 1_764_405_900_000)
            status.last = HistoryLine(change.entry)
            return status.situation
        }
        #expect(
            try situation(.retreat(decision), by: "gate", reason: decision.inWords).now
                == "V2 was withdrawn at 2025-11-29 08:44 UTC by the gate: 1,200 of 20,000 users had a failure on V2. All users are on V1."
        )
        #expect(
            try situation(.rollBack(to: .shadow(sample: .all)), by: "amara", reason: "users complain.").now
                == "V2 was withdrawn at 2025-11-29 08:44 UTC by amara: users complain. All users are on V1; V2 is compared in the background."
        )
    }

    @Test func `a verdict against V2 is trouble in the first words`() throws {
        let counts: [Metric: FailureCounts] = [
            .candidateFailures: FailureCounts(900, of: 1_000),
            Metric.candidateFailures.includingOpenWindows: FailureCounts(900, of: 1_000),
            .canaryFailures: FailureCounts(900, of: 902), .activeUnits: FailureCounts(1_000, of: 20_000),
        ]
        let situation = try status(.canary(share: 500), counts: counts).situation
        #expect(
            situation.now.hasPrefix("V2 hurts users. 5 % of users are on V2. 900 of 1,000 had a failure on V2 (90 %)")
        )
        #expect(situation.tone == .trouble && situation.next == "Next: V2 goes back, as the gate demands.")
    }

    @Test(arguments: [
        (720, 40, "12 min (usually 40 a minute)" as String?), (7_200, 0.5, "2 h (usually 30 an hour)"),
        (905, 4.4, "15 min (usually 4 a minute)"), (299, 400, nil), (720, 4, nil), (0, 40, nil),
    ])
    func `when so many reports are missing that it is no chance, the numbers are not to be trusted`(
        seconds: Int64,
        perMinute: Double,
        expected: String?
    ) throws {
        var status = try status(.canary(share: 500), counts: Self.canary)
        let usual = status.situation
        status.news = DeviceNews(secondsAgo: seconds, perMinute: perMinute)
        guard let expected else { return #expect(status.situation == usual) }
        #expect(
            status.situation.now == "No news from devices for \(expected): do not trust the numbers. \(usual.now)"
        )
        #expect(status.situation.tone == .waiting)
        status.kill = KillSwitch(.legacy, by: "amara", reason: "orders fail")
        #expect(status.situation.tone == .trouble)
    }

    @Test(arguments: [
        (Stage.legacyOnly, "all users are on V1; V2 is compared in the background for 20 % of them." as String?),
        (.canary(share: 500), "50 % of users are on V2."),
        (.candidateShadowed(sample: 1_000), "all users are on V2."), (.candidateOnly, nil),
    ])
    func `before a step, its effect is said`(stage: Stage, effect: String?) throws {
        #expect(try status(stage).afterStep == effect.map { "Afterwards: \($0)" })
    }

    @Test(arguments: [
        (0, 0, "No device is connected."), (1, 1, "1 of 1 connected device has it."),
        (41_200, 41_950, "41,200 of 41,950 connected devices have it."),
    ])
    func `who has a change is counted`(have: Int, all: Int, sentence: String) {
        #expect(ConnectedDevices(have: have, all: all).sentence == sentence)
    }

    @Test(arguments: [
        (0, "0"), (7, "7"), (999, "999"), (1_000, "1,000"), (116_000, "116,000"), (-1_234_567, "-1,234,567"),
    ])
    func `thousands are separated`(number: Int, text: String) { #expect(number.grouped == text) }

    @Test(arguments: [
        (FailureCounts(4, of: 6_031), "0.07 %"), (FailureCounts(23, of: 28), "82 %"),
        (FailureCounts(1, of: 100), "1.0 %"), (FailureCounts(1, of: 116_000), "0.0009 %"), (.none, "0 %"),
    ])
    func `a share has two digits that say something`(counts: FailureCounts, text: String) {
        #expect(counts.percent == text)
    }
}

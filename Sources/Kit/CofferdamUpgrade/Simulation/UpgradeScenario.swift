/// Worlds in which a gate that counts badly, or compares badly, comes to the wrong end.
public enum UpgradeScenario: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
    /// Too few units, at exactly the limit, come back after each restart and to each instance.
    case returning
    /// The candidate's first read works, and a later operation fails.
    case laterOperation
    /// The candidate refuses every write with an error that is an answer.
    case answers
    /// The candidate hangs on some writes, and the callers give up.
    case givenUp
    /// Both sides are fast, and the shadow runs under a load that the baseline never had.
    case fastUnderLoad
    /// Some units wait while the candidate opens.
    case lateOpening
    /// One operation fails, called tenth in a visit, and then for all of the unit's calls.
    case correlated
    /// The legacy side fails more often than is tolerated, and the candidate as often.
    case noisyLegacy
    /// The legacy side against itself.
    case sameSDK

    /// How it must end.
    public enum Expectation: String, Sendable, Hashable, Codable {
        case promote, notPromote, rollBack
    }

    public var expected: Expectation {
        switch self {
        case .returning: .notPromote
        case .laterOperation, .answers, .givenUp, .correlated: .rollBack
        case .fastUnderLoad, .lateOpening, .noisyLegacy, .sameSDK: .promote
        }
    }

    /// What both sides do; nil for ``returning``, which is no matter of rates: see ``ReturningUnits``.
    ///
    /// - Parameter settings: the faults are as many times the limit whatever it is.
    func world(_ settings: GateSettings) -> SimulatedWorld? {
        let good = settings.limit * settings.targetPart
        let usual = SimulatedWorld(faults: [
            .init(.failed, by: .candidate, rate: good), .init(.failed, by: .legacy, rate: good),
            .init(.slow, by: .candidate, rate: 0.002), .init(.slow, by: .legacy, rate: 0.002),
        ])
        switch self {
        case .returning: return nil
        case .laterOperation: return usual.with(.init(.failed, by: .candidate, of: "order", rate: 0.3, place: 2))
        case .answers:
            return usual.with(
                .init(.answer("authenticationRequired"), by: .candidate, of: "order", rate: 1),
                .init(.answer("authenticationRequired"), by: .candidate, of: "cancel", rate: 1),
                .init(.answer("authenticationRequired"), by: .candidate, of: "refund", rate: 1)
            )
        case .givenUp:
            return usual.with(.init(.givenUp(after: .seconds(2)), by: .candidate, of: "order", rate: 0.5))
        case .fastUnderLoad:
            return SimulatedWorld(
                faults: [.init(.failed, by: .candidate, rate: good), .init(.failed, by: .legacy, rate: good)],
                pace: .init(legacy: 0.65, candidate: 0.81, spread: 0.4, load: 2)
            )
        case .lateOpening:
            return usual.with(.init(.opened(after: .milliseconds(300)), by: .candidate, rate: 40 / 2_040))
        case .correlated:
            return usual.with(.init(.failed, by: .candidate, of: "details", rate: 0.1, place: 10, calls: 5))
        case .noisyLegacy:
            return SimulatedWorld.failing(5 * settings.limit, 5 * settings.limit)
        case .sameSDK:
            return SimulatedWorld(
                faults: [.init(.failed, by: .candidate, rate: good), .init(.failed, by: .legacy, rate: good)],
                pace: .init(legacy: 20, candidate: 20)
            )
        }
    }

    /// The plan's settings for it.
    func settings(_ settings: GateSettings) -> GateSettings {
        guard self == .noisyLegacy else { return settings }
        var settings = settings
        settings.relativeFactor = 2
        return settings
    }
}

extension SimulatedWorld {
    /// Each side fails for that share of the units, by itself; the legacy side was watched for long.
    static func failing(_ legacy: Double, _ candidate: Double) -> SimulatedWorld {
        SimulatedWorld(
            faults: [.init(.failed, by: .candidate, rate: candidate), .init(.failed, by: .legacy, rate: legacy)],
            baselineUnits: 300_000
        )
    }
}

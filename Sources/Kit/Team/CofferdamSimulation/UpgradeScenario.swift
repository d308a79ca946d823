import Cofferdam
import CofferdamGate

/// Worlds in which a gate that counts or compares badly would reach the wrong verdict.
package enum UpgradeScenario: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
    /// Too few units, at exactly the limit, come back after each restart and to each instance.
    case returning
    /// Units fail at exactly the limit. Those that fail do so late in a long session, and the others leave soon.
    case openWindows
    /// The candidate's first read works, and a later operation fails.
    case laterOperation
    /// The candidate refuses every write with an error that is an answer.
    case answers
    /// The candidate hangs on some writes, and the callers give up.
    case givenUp
    /// Both sides are fast, the candidate is a quarter slower, and the shadow runs under a load that the baseline never
    /// had: twice the work on the same processors, and therefore twice the time.
    ///
    /// The upgrade arrives if the candidate's slow share in the shadow is below 2 %: in 395 of 400 runs at a spread of
    /// 0.7 and that load, and in none at a spread of 0.5 and three times the load. In the latter case the shadow holds
    /// until a person is asked, and never rolls back: the limit for its calls was measured without the load, and no
    /// number of units changes that.
    case fastUnderLoad
    /// Some units wait while the candidate opens.
    case lateOpening
    /// The candidate hangs for a tenth of the units that place an order, and they wait.
    case hangs
    /// The candidate hangs from the tenth call of a visit on, and callers give up after 30 s.
    case givesUpLate
    /// An operation that the legacy side does not have fails for a quarter of its callers.
    case unknownOperation
    /// The baseline was taken during an outage, and the candidate fails for nearly as many.
    case poisonedBaseline
    /// The candidate ends the process of half of its units before anything is reported. Those that report are good.
    case missing
    /// One operation fails, called tenth in a visit, and then for all of the unit's calls.
    case correlated
    /// The legacy side fails for 0.5 % of the units, more than is tolerated, and the candidate fails as often. The
    /// legacy side was watched for twice as many units as a gate counts at most, because later stages compare the
    /// candidate with a bound on its failure rate.
    ///
    /// Of 400 upgrades, 349 arrive if it was watched for 20,000 units, 395 for 50,000 and 398 for 100,000. At a rate of
    /// 1 %, 20,000 units are enough (399). At 0.3 %, a horizon of 50,000 is too short (314 of 400), and one of 100,000
    /// is enough (400): it takes about 150 failing units of each side to distinguish a rate from twice that rate at an
    /// α of 0.001.
    case noisyLegacy
    /// As ``noisyLegacy``, and the app's own process ends for four times the limit of the units, during calls of either
    /// side.
    case crashesOfBoth
    /// The legacy side against itself, at a good candidate's failure rate.
    ///
    /// If both fail for 0.03 % to 0.1 % of the units, the units within the horizon may be too few to show a rate below
    /// 0.1 %. The gate then asks a person (20 of 200 at 0.03 %, all at 0.05 %), and rolls none back.
    case sameSDK
    /// The same SDK in builds with one side each, through both comparisons of builds.
    case armsOfOneSDK
    /// A build of the candidate fails for ten times the limit.
    case worseArm
    /// The same SDK in two builds, both of which are slow for five times as many units as the legacy side was when it
    /// was watched.
    case evenlySlowArms
    /// Two builds of the legacy side fail alike, and one of them is slow for ten times as many of its units: its
    /// devices are older, or it measures differently.
    ///
    /// With five times as many, 400 of 400 are held at the standard limit, but not all of them at a limit of 1 %, for
    /// which a tenth of the units is enough.
    case unevenlySlowArms
    /// Two builds of the legacy side differ, because their users chose the build themselves.
    case selfSelectedArms
    /// The same, with a legacy side that itself fails for more than the limit.
    case selfSelectedNoisyArms

    /// How the upgrade must end.
    package enum Expectation: String, Sendable, Hashable, Codable {
        case promote, notPromote, rollBack
    }

    package var expected: Expectation {
        switch self {
        case .returning, .openWindows, .missing, .poisonedBaseline, .unevenlySlowArms, .selfSelectedArms,
            .selfSelectedNoisyArms:
            .notPromote
        case .laterOperation, .answers, .givenUp, .hangs, .givesUpLate, .unknownOperation, .correlated, .worseArm:
            .rollBack
        case .fastUnderLoad, .lateOpening, .noisyLegacy, .crashesOfBoth, .sameSDK, .armsOfOneSDK, .evenlySlowArms:
            .promote
        }
    }

    /// The behaviour of both sides; nil for scenarios that rates alone do not describe: see `ReturningUnits`,
    /// `OverlappingVisits` and `SimulatedArms`.
    ///
    /// - Parameter settings: their limit scales the rates of the faults.
    func world(_ settings: GateSettings) -> SimulatedWorld? {
        let good = settings.limit * settings.targetPart
        // A legacy side that never fails is the hardest for a candidate that fails as often as a good one may.
        let usual = SimulatedWorld(faults: [
            .init(.failed, by: .candidate, rate: good), .init(.slow, by: .candidate, rate: 0.002),
            .init(.slow, by: .legacy, rate: 0.002),
        ])
        switch self {
        case .returning, .openWindows, .armsOfOneSDK, .worseArm, .evenlySlowArms, .unevenlySlowArms, .selfSelectedArms,
            .selfSelectedNoisyArms:
            return nil
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
            // The medians were measured; a p99 of three times the median is usual for a service.
            return SimulatedWorld(
                faults: [.init(.failed, by: .candidate, rate: good)],
                pace: .init(legacy: 0.65, candidate: 0.81, load: 2)
            )
        case .lateOpening:
            return usual.with(.init(.opened(after: .milliseconds(300)), by: .candidate, rate: 40 / 2_040))
        case .hangs: return usual.with(.init(.hanging, by: .candidate, of: "order", rate: 0.1))
        case .givesUpLate:
            return usual.with(
                .init(.givenUp(after: .seconds(30)), by: .candidate, of: "details", rate: 0.4, place: 10)
            )
        case .unknownOperation:
            var world = usual
            world.operations.append(.init("find", share: 0.05, isRead: false, isNew: true))
            return world.with(.init(.failed, by: .candidate, of: "find", rate: 0.28))
        case .poisonedBaseline:
            var world = SimulatedWorld(faults: [.init(.failed, by: .candidate, rate: 0.15)])
            world.poison = 0.2
            return world
        case .missing:
            var world = usual
            world.missing = 0.5
            return world
        case .correlated:
            return usual.with(.init(.failed, by: .candidate, of: "details", rate: 0.1, place: 10, calls: 5))
        case .noisyLegacy:
            return SimulatedWorld.failing(5 * settings.limit, 5 * settings.limit, watched: 2 * settings.horizon)
        case .crashesOfBoth:
            let world = SimulatedWorld.failing(5 * settings.limit, 5 * settings.limit, watched: 2 * settings.horizon)
            return world.with(
                .init(.crash, by: .candidate, rate: 4 * settings.limit),
                .init(.crash, by: .legacy, rate: 4 * settings.limit)
            )
        case .sameSDK:
            return SimulatedWorld(
                faults: [.init(.failed, by: .candidate, rate: good), .init(.failed, by: .legacy, rate: good)],
                pace: .init(legacy: 20, candidate: 20)
            )
        }
    }

    /// The plan's settings for this scenario.
    func settings(_ settings: GateSettings) -> GateSettings {
        guard self == .noisyLegacy || self == .crashesOfBoth else { return settings }
        var settings = settings
        settings.relativeFactor = 2
        return settings
    }
}

extension SimulatedWorld {
    /// Each side fails for its share of the units, independently.
    ///
    /// - Parameter watched: the number of units for which the legacy side was watched.
    static func failing(_ legacy: Double, _ candidate: Double, watched: Int) -> SimulatedWorld {
        SimulatedWorld(
            faults: [.init(.failed, by: .candidate, rate: candidate), .init(.failed, by: .legacy, rate: legacy)],
            baselineUnits: watched
        )
    }
}

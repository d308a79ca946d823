#if Sandbox
public import Cofferdam  // operations, sides and differences
public import CofferdamContracts  // adapters under test, for runners and tests
public import CofferdamUpgrade  // the stage of the router
import MenagerieService
import MenagerieV1Adapter
import MenagerieV2Adapter
public import SanctuaryContracts  // the subjects they open
import SanctuaryDomain
import SanctuaryOperations
import SanctuaryRouting

extension AdapterUnderTest<SanctuarySubject> {
    /// Both majors behind the router at a fixed stage, with one service and one state directory for each case.
    ///
    /// Shadow calls go to a second service, where each one finally fails: the rules count only the effects of the
    /// caller's own calls, and must pass whatever the shadow does.
    ///
    /// - Parameters:
    ///   - side: the unit's side in the canary; at other stages the stage decides.
    ///   - isOtherSideDown: whether opening the side that does not answer fails.
    public static func staged(at stage: Stage, unitOn side: Side = .legacy, isOtherSideDown: Bool = false) -> Self {
        let side = stage.side ?? side
        let name =
            "\(stage.rawValue)" + (stage.side == nil ? " on the \(side) side" : "")
            + (isOtherSideDown ? " without the other" : "")
        return .sanctuary(
            name: name,
            capabilities: side == .legacy ? .menagerieV1 : Set.menagerieV2.subtracting([.instances]),
            harnessCapabilities: side == .legacy ? [.oddCallbacks, .countedDrops] : [.orderlyEnd, .countedDrops]
        ) {
            try await menagerieV1Turnstile.enter()
            do {
                let mirror = try await startService()
                do {
                    return try await subject(
                        side == .legacy ? .v1 : .v2,
                        afterwards: {
                            await mirror.stop()
                            menagerieV1Turnstile.leave()
                        },
                        open: openStaged(at: stage, unitOn: side, isOtherSideDown, mirror: mirror.url)
                    )
                } catch {
                    await mirror.stop()
                    throw error
                }
            } catch {
                menagerieV1Turnstile.leave()
                throw error
            }
        }
    }
}

private func openStaged(
    at stage: Stage,
    unitOn side: Side,
    _ isOtherSideDown: Bool,
    mirror: String
) -> OpenServices {
    { url, directory, issues, clock in
        let bucketing = try Bucketing(salt: "sanctuary")
        let session = UnitSession(
            unit: unit(on: side, at: stage, bucketing),
            control: StageControl(StageState(stage: stage)),
            bucketing: bucketing
        )
        let scratch = try TemporaryDirectory()
        let silent = IssueSink { _, _ in }
        let shadowQueue = ShadowQueue()
        let isLegacyInShadow = stage.kind == .candidateShadowed
        let router = Router<SanctuaryServices>(
            legacy: {
                if side == .candidate, isOtherSideDown { throw otherSideIsDown }
                guard isLegacyInShadow else {
                    return try await openV1(at: url, directory: directory, issues: issues, clock: clock)
                }
                return try await openV1(at: mirror, directory: scratch.path, issues: silent)
                    .intercepted(by: FailingAfterwards())
            },
            candidate: { try await openV2(at: url, directory: directory, issues: issues, clock: clock) },
            shadowCandidate: {
                if isOtherSideDown { throw otherSideIsDown }
                return try await openV2(at: mirror, directory: scratch.path, issues: silent)
                    .intercepted(by: FailingAfterwards())
            }
        )
        do {
            try await router.open(for: session)
        } catch {
            scratch.remove()
            throw error
        }
        var services = routedServices(
            router,
            for: session,
            capabilities: side == .legacy ? .menagerieV1 : .menagerieV2,
            RouteSettings(capability: "sanctuary", failures: .sanctuary, shadowQueue: shadowQueue)
        )
        let close = services.close
        services.close = {
            await close()
            await shadowQueue.drained()
            scratch.remove()
        }
        return services
    }
}

private let otherSideIsDown = SanctuaryError(.unreachable, "the other side cannot be opened")

/// Returns a unit whose bucket puts it on that side at the stage.
private func unit(on side: Side, at stage: Stage, _ bucketing: Bucketing) -> String {
    guard case .canary(let share) = stage else { return "unit" }
    for number in 0..<10_000 {
        let unit = "unit-\(number)"
        if bucketing.admits(unit, share: share) == (side == .candidate) { return unit }
    }
    return "unit"
}

/// Makes the call and then throws, whatever its outcome.
private struct FailingAfterwards: PortInterceptor {
    func intercept<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        next: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> Output {
        do { _ = try await next(input) } catch {}
        throw SanctuaryError(.unavailable, "what is done in the shadow fails here", subject: operation.name)
    }
}
#endif

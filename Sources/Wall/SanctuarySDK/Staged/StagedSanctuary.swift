#if Staged
    import Cofferdam
    import CofferdamUpgrade
    import MenagerieV1Adapter
    import MenagerieV2Adapter
    import SanctuaryDomain
    import SanctuaryRouting

    /// Both SDKs upon one state directory, and the unit that is routed between them.
    ///
    /// The unit is the user who is signed in, or the installation while nobody is. It is one unit from the opening or the
    /// signing in to the signing out or the closing, and on one side as long: all six ports move together, with the session.
    ///
    /// V2's tokens have one owner, whichever instance of V2 asks. The one that rehearses works on a copy; the one that answers
    /// takes over what V1 has left in the directory, and what it cannot take over is told as issues before. What neither could
    /// send yet goes along with the unit: see ``SendingTurns``.
    final class StagedSanctuary: Sendable {
        private struct Current {
            var session: UnitSession
            var services: SanctuaryServices
        }

        private let configuration: SDKConfiguration
        private let upgrade: StagedUpgrade
        private let bucketing: Bucketing
        private let capabilities: Set<Capability>
        private let unit: InstallationUnit
        private let credentials: MenagerieV2Credentials
        private let sides: StagedSides
        private let current: Mutex<Current>
        /// Sessions begin and end one after the other.
        private let turnstile = Turnstile()

        init(at url: String, _ configuration: SDKConfiguration, _ upgrade: StagedUpgrade) async throws {
            self.upgrade = upgrade
            self.configuration = configuration
            bucketing = try Bucketing(salt: SanctuaryUpgrade.capability)
            unit = InstallationUnit(directory: configuration.stateDirectory)
            credentials = MenagerieV2Credentials(directory: configuration.stateDirectory)
            capabilities = StagedSides.capabilities(at: upgrade.canMove ? nil : upgrade.control.state.stage())
            let session = UnitSession(
                unit: await Self.unit(of: credentials, unit, configuration.issues),
                control: upgrade.control,
                bucketing: bucketing
            )
            sides = StagedSides(at: url, configuration, session, upgrade.routes, credentials, unit)
            current = Mutex(
                Current(session: session, services: sides.services(for: session, capabilities))
            )
        }

        /// Opens the side that answers.
        func services() async throws -> SanctuaryServices {
            let first = current.withLock { $0.services }
            upgrade.begin()
            do {
                try await turnstile.run {
                    let session = current.withLock { $0.session }
                    await prepare(for: session)
                    try await sides.open(session)
                    unit.side = session.side
                }
            } catch {
                // It may be opened all the same, if only this task has given up.
                await upgrade.end { await first.close() }
                throw error
            }
            return SanctuaryServices(
                backing: "Menagerie V1 and V2, at \(upgrade.control.state.stage())",
                capabilities: first.capabilities,
                catalogue: FollowingCatalogue(followed: { [self] in following.catalogue }),
                photos: FollowingPhotos(followed: { [self] in following.photos }),
                accessories: FollowingAccessories(followed: { [self] in following.accessories }),
                orders: FollowingOrders(followed: { [self] in following.orders }),
                messages: FollowingMessages(followed: { [self] in following.messages }),
                accounts: StagedAccounts(sanctuary: self),
                close: { [self] in
                    await upgrade.end(of: current.withLock { $0.session }) { await first.close() }
                }
            )
        }

        private var following: SanctuaryServices { current.withLock { $0.services } }

        // MARK: Sessions

        func state() async throws -> AccountState { try await following.accounts.state() }

        /// Signs in on the new unit's side, wherever the old one was.
        func signIn(_ given: Credentials) async throws -> Account {
            try await turnstile.run {
                let old = current.withLock { $0.session }
                let next = UnitSession(unit: given.user, control: upgrade.control, bucketing: bucketing)
                let services = sides.services(for: next, capabilities)
                await prepare(for: next)
                let account: Account
                do {
                    account = try await services.accounts.signIn(given)
                } catch {
                    await prepare(for: old)
                    unit.side = old.side
                    throw error
                }
                await forget(unless: account.id, besides: next.side)
                begin(next, services)
                return account
            }
        }

        /// Signs out on both sides. From then on the unit is the installation.
        func signOut() async throws {
            try await turnstile.run {
                let (services, side) = current.withLock { ($0.services, $0.session.side) }
                try await services.accounts.signOut()
                await forget(unless: nil, besides: side)
                let nobody = UnitSession(
                    unit: await Self.unit(of: credentials, unit, configuration.issues),
                    control: upgrade.control,
                    bucketing: bucketing
                )
                begin(nobody, sides.services(for: nobody, capabilities))
            }
        }

        private func begin(_ session: UnitSession, _ services: SanctuaryServices) {
            let ended = current.withLock { current in
                defer { current = Current(session: session, services: services) }
                return current.session
            }
            upgrade.sessionEnded(of: ended)
            sides.session = session
            unit.side = session.side
        }

        /// The side that is about to answer. Where that is V1 again, what V2 has and V1 will not take over is told before.
        private func prepare(for session: UnitSession) async {
            sides.session = session
            guard session.side == .legacy, unit.side == .candidate else { return }
            let remainder = await menagerieV2Remainder(in: configuration.stateDirectory)
            configuration.issues.report(remainder, of: "back to V1")
        }

        /// Lets the other side know who is signed in now, or that nobody is: it must not answer as anybody else.
        private func forget(unless user: String?, besides side: Side) async {
            do {
                switch side {
                case .legacy: try await credentials.reload(for: user)
                case .candidate: try await sides.signOutV1(unless: user)
                }
            } catch {
                let issue = TranslationIssue("the other SDK: \(error)", at: "session", raw: "", severity: .warning)
                configuration.issues.report([issue], of: "session")
            }
        }

        /// Who is signed in, by what is stored, else the installation. Nil, and so on V1's side, where that cannot be read.
        private static func unit(
            of credentials: MenagerieV2Credentials,
            _ unit: InstallationUnit,
            _ issues: IssueSink
        ) async -> String? {
            do {
                if let user = try await credentials.storedUser() { return user }
                return try unit.id()
            } catch {
                let issue = TranslationIssue("the unit is not known: \(error)", at: "unit", raw: "", severity: .warning)
                issues.report([issue], of: "open")
                return nil
            }
        }
    }
#endif

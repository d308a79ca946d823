#if Sandbox
extension V2API {
    var account: [Route] {
        [
            Route(
                "POST",
                "auth/token",
                operation: Self.grantOperation,
                keyed { call, _ in
                    let fields = try call.object()
                    let grantType = try fields.string("grantType")
                    let (key, device) = (call.header("Idempotency-Key"), try fields.optionalString("deviceId"))
                    let grant: SessionRegister.Grant
                    switch grantType {
                    case "password":
                        let (name, password) = (try fields.string("user"), try fields.string("password"))
                        guard let user = sandbox.world.read({ $0.sessions.user(named: name) }),
                            password == User.password
                        else {
                            throw Refusal(.unauthenticated, "unknown user or wrong password")
                        }
                        grant = sandbox.world.update { world in
                            world.sessions.signIn(user, lifetime: sandbox.accessTokenLifetime, at: world.now)
                        }
                    case "refresh":
                        let token = try fields.string("refreshToken")
                        grant = try sandbox.world.update { world throws(Refusal) in
                            try world.sessions.refresh(
                                token,
                                key: key,
                                lifetime: sandbox.accessTokenLifetime,
                                at: world.now
                            )
                        }
                    case "legacy":
                        let token = try fields.string("legacyToken")
                        grant = try sandbox.world.update { world throws(Refusal) in
                            try world.sessions.exchange(
                                legacyToken: token,
                                key: key,
                                lifetime: sandbox.accessTokenLifetime,
                                at: world.now
                            )
                        }
                    default:
                        throw Refusal(.validation, "expected password, refresh or legacy", field: "grantType")
                    }
                    if let device { sandbox.world.update { _ = $0.devices.insert(device) } }
                    return .json([
                        "accessToken": .string(grant.accessToken),
                        "refreshToken": .string(grant.refreshToken),
                        "expiresIn": .integer(sandbox.accessTokenLifetime.components.seconds),
                        "account": Self.record(of: grant.user),
                    ])
                }
            ),
            Route(
                "POST",
                "auth/revoke",
                .revoke,
                keyed { call, _ in
                    let token = try call.object().string("refreshToken")
                    try sandbox.world.update { world throws(Refusal) in try world.sessions.revoke(token) }
                    return .nothing
                }
            ),
            Route(
                "POST",
                "telemetry",
                .telemetry,
                keyed { call, _ in
                    let device = try call.object().string("deviceId")
                    sandbox.world.update { _ = $0.devices.insert(device) }
                    return .nothing
                }
            ),
            Route("GET", "account", .account, signedIn { _, _, user in .json(Self.record(of: user)) }),
        ]
    }

    /// A grant that cannot be read counts as a sign-in.
    @Sendable private static func grantOperation(_ call: Call) -> Operation? {
        do throws(Refusal) {
            return switch try call.object().string("grantType") {
            case "refresh": .refresh
            case "legacy": .exchange
            default: .signIn
            }
        } catch {
            return .signIn
        }
    }

    private static func record(of user: User) -> JSON {
        [
            "id": .string(user.id), "displayName": .string(user.displayName),
            "currency": .string(user.currencyCode),
        ]
    }
}
#endif

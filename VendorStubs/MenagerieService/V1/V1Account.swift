#if Sandbox
extension V1API {
    var account: [Route] {
        [
            Route(
                "POST",
                "session",
                .signIn,
                keyed { call, _ in
                    let fields = try call.object()
                    let (name, password) = (try fields.string("user"), try fields.string("password"))
                    guard let user = sandbox.world.read({ $0.sessions.user(named: name) }),
                        password == User.password
                    else {
                        throw Refusal(.unauthenticated, "unknown user or wrong password")
                    }
                    let device = try fields.optionalString("device_id")
                    let token = sandbox.world.update { world in
                        if let device { world.devices.insert(device) }
                        return world.sessions.makeLegacyToken(for: user, at: world.now)
                    }
                    return .json([
                        "token": .string(token),
                        "user_id": .string(user.id),
                        "display_name": .string(user.displayName),
                        "currency": .string(user.currencyCode),
                    ])
                }
            ),
            Route(
                "GET",
                "account",
                .account,
                signedIn { _, _, user in
                    .json([
                        "user_id": .string(user.id),
                        "display_name": .string(user.displayName),
                        "currency": .string(user.currencyCode),
                    ])
                }
            ),
        ]
    }
}
#endif

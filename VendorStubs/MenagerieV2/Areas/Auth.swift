#if Sandbox
extension MenagerieClient {
    /// Signs a user in. Nothing is stored: see ``sessionStore``.
    public nonisolated func authenticate(
        user: String,
        password: String
    ) async throws(MenagerieError) -> TokenGrant {
        try await requireConfiguration()
        return try await grant(["grantType": "password", "user": user, "password": password])
    }

    /// Exchanges a refresh token, which is valid for one call, for new tokens.
    ///
    /// - Parameter idempotencyKey: the same key returns the same tokens again, as long as they are not refreshed
    ///   themselves.
    public nonisolated func refresh(
        refreshToken: String,
        idempotencyKey: String? = nil
    ) async throws(MenagerieError) -> TokenGrant {
        try await requireConfiguration()
        return try await grant(["grantType": "refresh", "refreshToken": refreshToken], idempotencyKey)
    }

    /// Exchanges a token of version 1, which is valid for one exchange, for tokens.
    ///
    /// - Parameter idempotencyKey: the same key returns the same tokens again, as long as they are not refreshed.
    public nonisolated func exchange(
        legacyToken: String,
        idempotencyKey: String? = nil
    ) async throws(MenagerieError) -> TokenGrant {
        try await requireConfiguration()
        return try await grant(["grantType": "legacy", "legacyToken": legacyToken], idempotencyKey)
    }

    /// Revokes everything that originated from the token's sign-in.
    public nonisolated func revoke(refreshToken: String) async throws(MenagerieError) {
        try await requireConfiguration()
        _ = try await wire.bytes(of: .post("auth", "revoke").json(["refreshToken": refreshToken]))
    }

    public nonisolated func account(accessToken: String) async throws(MenagerieError) -> Account {
        try await requireConfiguration()
        return try await wire.call(.get("account", token: accessToken))
    }

    private nonisolated func grant(
        _ body: [String: String],
        _ idempotencyKey: String? = nil
    ) async throws(MenagerieError) -> TokenGrant {
        var body = body
        body["deviceId"] = try await deviceStore.current()
        var request = try WireRequest.post("auth", "token").json(body)
        if let idempotencyKey { request.headers.append(("Idempotency-Key", idempotencyKey)) }
        return try await wire.call(request)
    }
}
#endif

extension MenagerieClient {
    /// Signs a user in. Nothing is kept: see ``sessionStore``.
    public nonisolated func authenticate(
        user: String,
        password: String
    ) async throws(MenagerieError) -> TokenGrant {
        try await requireConfiguration()
        return try await grant(["grantType": "password", "user": user, "password": password])
    }

    /// New tokens for a refresh token, which is good for one call only.
    ///
    /// - Parameter idempotencyKey: the same key gives the same tokens again, as long as they are not refreshed themselves.
    public nonisolated func refresh(
        refreshToken: String,
        idempotencyKey: String? = nil
    ) async throws(MenagerieError) -> TokenGrant {
        try await requireConfiguration()
        return try await grant(["grantType": "refresh", "refreshToken": refreshToken], idempotencyKey)
    }

    /// Tokens for one of version 1, which is good for one exchange only.
    ///
    /// - Parameter idempotencyKey: the same key gives the same tokens again, as long as they are not refreshed.
    public nonisolated func exchange(
        legacyToken: String,
        idempotencyKey: String? = nil
    ) async throws(MenagerieError) -> TokenGrant {
        try await requireConfiguration()
        return try await grant(["grantType": "legacy", "legacyToken": legacyToken], idempotencyKey)
    }

    /// Ends everything that came from the token's sign-in.
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

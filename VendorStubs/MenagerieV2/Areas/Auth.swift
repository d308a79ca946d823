extension MenagerieClient {
    /// Signs a user in. Nothing is kept: see ``sessionStore``.
    public nonisolated func authenticate(
        user: String,
        password: String
    ) async throws(MenagerieError) -> TokenGrant {
        try await requireConfiguration()
        let body = ["grantType": "password", "user": user, "password": password]
        return try await wire.call(.post("auth", "token").json(body))
    }

    /// New tokens for a refresh token, which is good for one call only.
    public nonisolated func refresh(refreshToken: String) async throws(MenagerieError) -> TokenGrant {
        try await requireConfiguration()
        let body = ["grantType": "refresh", "refreshToken": refreshToken]
        return try await wire.call(.post("auth", "token").json(body))
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
}

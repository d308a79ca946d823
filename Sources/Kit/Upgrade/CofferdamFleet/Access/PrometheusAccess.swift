#if Fleet
package import CofferdamCurl  // its TLS settings
public import CofferdamUpgrade  // its error

/// A tool's access to Prometheus, by its address and by environment variables, so that no secret is on a command line.
///
/// `PROMETHEUS_TOKEN` is a bearer token; `PROMETHEUS_USER` and `PROMETHEUS_PASSWORD` are a user and a password. Instead
/// of a secret, `PROMETHEUS_TOKEN_FILE` or `PROMETHEUS_PASSWORD_FILE` names a file that holds it; a trailing newline is
/// ignored. `PROMETHEUS_CACERT`, `PROMETHEUS_CERT` and `PROMETHEUS_KEY` are PEM files like those of ``EtcdAccess``. An
/// empty variable counts as unset.
public struct PrometheusAccess: Sendable {
    package var endpoint: String
    package var authorization: PrometheusAuthorization?
    package var tls: CurlTLS
    /// The timeout of one query. Reading an epoch takes nine or ten.
    package var timeout: Duration = .seconds(10)

    /// - Parameter address: "https://10.0.0.7:9090".
    /// - Throws: `UpgradeStoreError` with `unavailable`, which names the address or the variable, never its value.
    public init(_ address: String, environment: [String: String] = [:]) throws(UpgradeStoreError) {
        endpoint = try ServerAddress.checked(address, of: "Prometheus's address")
        let variables = AccessVariables("PROMETHEUS", of: environment)
        authorization = try Self.authorization(variables)
        tls = try variables.tls()
    }

    /// - Parameters:
    ///   - job: see `job`.
    ///   - instances: see `instances`.
    public func evidence(job: String, instances: Set<String>) -> PrometheusEvidence {
        let client = CurlClient(
            configuration: .defaults {
                $0.tls = tls
                $0.options.timeouts.connect = timeout
                $0.options.timeouts.whole = timeout
            }
        )
        return PrometheusEvidence(
            endpoint: endpoint,
            client: client,
            authorization: authorization,
            job: job,
            instances: instances
        )
    }

    private static func authorization(_ variables: AccessVariables) throws(UpgradeStoreError)
        -> PrometheusAuthorization?
    {
        let (token, password) = (try variables.secret("TOKEN"), try variables.secret("PASSWORD"))
        let (key, authorization): (String, PrometheusAuthorization)
        switch (token, variables["USER"], password) {
        case (nil, nil, nil): return nil
        case (let token?, nil, nil): (key, authorization) = ("TOKEN", .bearer(token))
        case (nil, let user?, let password?): (key, authorization) = ("USER", .basic(user: user, password: password))
        case (_?, _, _): throw variables.failure("TOKEN", "there is also a user or a password: give one or the other")
        case (nil, _?, nil): throw variables.failure("USER", "there is no password in \(variables.name("PASSWORD"))")
        case (nil, nil, _?): throw variables.failure("PASSWORD", "there is no user in \(variables.name("USER"))")
        }
        do { _ = try authorization.value() } catch { throw variables.failure(key, error.message) }
        return authorization
    }
}
#endif

#if Fleet
import CofferdamCurl
import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing
import UpgradeTestSupport
import TestSupport

@Suite struct PrometheusAccessTests {
    private static let one = "http://127.0.0.1:9090"

    @Test(
        arguments: [
            ([:], nil), (["PROMETHEUS_TOKEN": "", "PROMETHEUS_USER": ""], nil),
            (["PROMETHEUS_TOKEN": "sesame"], .bearer("sesame")),
            (
                ["PROMETHEUS_USER": "amara", "PROMETHEUS_PASSWORD": "se:same"],
                .basic(user: "amara", password: "se:same")
            ),
        ] as [([String: String], PrometheusAuthorization?)]
    )
    func `credentials are read from the environment`(
        variables: [String: String],
        authorization: PrometheusAuthorization?
    ) throws {
        let access = try PrometheusAccess(" \(Self.one)/ ", environment: variables)
        #expect(access.authorization == authorization)
        #expect(access.endpoint == Self.one + "/")
    }

    @Test(arguments: ["sesame", "sesame\n", "sesame\r\n"])
    func `a secret may be in a file, with or without a final line break`(text: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/secret"
        try Data(text.utf8).write(to: URL(filePath: file))
        #expect(
            try PrometheusAccess(Self.one, environment: ["PROMETHEUS_TOKEN_FILE": file]).authorization
                == .bearer("sesame")
        )
        let user = ["PROMETHEUS_USER": "amara", "PROMETHEUS_PASSWORD_FILE": file]
        #expect(
            try PrometheusAccess(Self.one, environment: user).authorization == .basic(user: "amara", password: "sesame")
        )
    }

    @Test(
        arguments: [
            ("", [:], "Prometheus's address: "),
            ("127.0.0.1:9090", [:], "Prometheus's address: the URL is not absolute"),
            ("http://root:sesame@a:1", [:], "Prometheus's address: "), ("ftp://a", [:], "Prometheus's address: "),
            (one, ["PROMETHEUS_USER": "amara"], "PROMETHEUS_USER: there is no password in PROMETHEUS_PASSWORD"),
            (one, ["PROMETHEUS_PASSWORD": "sesame"], "PROMETHEUS_PASSWORD: there is no user in PROMETHEUS_USER"),
            (
                one, ["PROMETHEUS_TOKEN": "sesame", "PROMETHEUS_USER": "amara"],
                "PROMETHEUS_TOKEN: there is also a user"
            ),
            (
                one, ["PROMETHEUS_TOKEN": "sesame", "PROMETHEUS_TOKEN_FILE": "/dev/null"],
                "PROMETHEUS_TOKEN_FILE: PROMETHEUS_TOKEN is also set"
            ),
            (one, ["PROMETHEUS_TOKEN_FILE": "/nonexistent"], "PROMETHEUS_TOKEN_FILE: /nonexistent cannot be read"),
            (one, ["PROMETHEUS_TOKEN": "open sesame"], "PROMETHEUS_TOKEN: the bearer token"),
            (
                one, ["PROMETHEUS_USER": "a:b", "PROMETHEUS_PASSWORD": "sesame"],
                "PROMETHEUS_USER: the user's name has a colon"
            ),
            (one, ["PROMETHEUS_CERT": "a.pem"], "PROMETHEUS_KEY: "),
            (one, ["PROMETHEUS_KEY": "a.key"], "PROMETHEUS_CERT: "),
        ] as [(String, [String: String], String)]
    )
    func `what is missing or wrong is named, without a secret`(
        address: String,
        variables: [String: String],
        says: String
    ) throws {
        let error = try #require(
            #expect(throws: UpgradeStoreError.self) { try PrometheusAccess(address, environment: variables) }
        )
        #expect(error.description.hasPrefix(says), "\(error)")
        var text = "\(error)"
        dump(error, to: &text)
        #expect(!text.contains("sesame"))
    }

    @Test func `its description does not reveal the secret`() throws {
        var text = ""
        dump(try PrometheusAccess(Self.one, environment: ["PROMETHEUS_TOKEN": "sesame"]), to: &text)
        #expect(!text.contains("sesame"))
    }

    @Test(arguments: [("", "is empty"), ("\n", "is empty"), ("\u{FF}", "is not UTF-8")])
    func `a file without a secret is named`(text: String, says: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/secret"
        try Data(text.unicodeScalars.map { UInt8($0.value) }).write(to: URL(filePath: file))
        let error = #expect(throws: UpgradeStoreError.self) {
            try PrometheusAccess(Self.one, environment: ["PROMETHEUS_TOKEN_FILE": file])
        }
        #expect(error?.description == "PROMETHEUS_TOKEN_FILE: \(file) \(says)")
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that accepts the query and never answers is an error after the timeout`()
        async throws
    {
        // The system accepts the connection and buffers the request.
        let socket = try LoopbackSocket()
        var access = try PrometheusAccess("http://127.0.0.1:\(socket.port)")
        access.timeout = .milliseconds(200)
        let evidence = access.evidence(job: "shop", instances: ["a"])
        let error = await #expect(throws: PrometheusError.self) {
            try await evidence.evidence(
                of: Snapshots.state("catalogue", at: .shadow(sample: .all), epoch: 1),
                seconds: 60,
                now: 1
            )
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.hasPrefix("Prometheus cannot be queried: ") == true)
    }
}
#endif

#if SDKv2
import MenagerieV2Adapter
import SanctuaryDomain

extension LinkedSDK {
    /// - Parameter credentials: the shared session, if V2 is opened more than once.
    static func configurationV2(
        at url: String,
        _ configuration: SDKConfiguration,
        credentials: MenagerieV2Credentials? = nil
    ) -> MenagerieV2Configuration {
        MenagerieV2Configuration(
            serviceURL: url,
            key: key,
            directory: configuration.stateDirectory,
            language: configuration.language,
            issues: configuration.issues,
            credentials: credentials
        )
    }
}

#if !SDKv1
extension LinkedSDK {
    static func services(at url: String, _ configuration: SDKConfiguration) async throws -> SanctuaryServices {
        try await openMenagerieV2(configurationV2(at: url, configuration))
    }
}
#endif
#endif

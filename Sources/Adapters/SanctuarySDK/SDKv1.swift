#if SDKv1
import MenagerieV1Adapter
import SanctuaryDomain

extension LinkedSDK {
    static func configurationV1(at url: String, _ configuration: SDKConfiguration) -> MenagerieV1Configuration {
        MenagerieV1Configuration(
            serviceURL: url,
            key: key,
            directory: configuration.stateDirectory,
            language: configuration.language,
            issues: configuration.issues
        )
    }
}

#if !SDKv2
extension LinkedSDK {
    static func services(at url: String, _ configuration: SDKConfiguration) async throws -> SanctuaryServices {
        try await openMenagerieV1(configurationV1(at: url, configuration))
    }
}
#endif
#endif

#if SDKv2
    import MenagerieV2Adapter
    import SanctuaryDomain

    extension LinkedSDK {
        static func openV2(at url: String, _ configuration: SDKConfiguration) async throws -> SanctuaryServices {
            try await openMenagerieV2(
                MenagerieV2Configuration(
                    serviceURL: url,
                    key: key,
                    directory: configuration.stateDirectory,
                    language: configuration.language,
                    issues: configuration.issues
                )
            )
        }
    }

    #if !SDKv1
        extension LinkedSDK {
            static func services(at url: String, _ configuration: SDKConfiguration) async throws -> SanctuaryServices {
                try await openV2(at: url, configuration)
            }
        }
    #endif
#endif

#if SDKv1
    import MenagerieV1Adapter
    import SanctuaryDomain

    extension LinkedSDK {
        /// - Parameter isSucceeded: whether V2 answers now, and V1 only stands by.
        static func openV1(
            at url: String,
            _ configuration: SDKConfiguration,
            isSucceeded: @escaping @Sendable () -> Bool = { false }
        ) async throws -> SanctuaryServices {
            try await openMenagerieV1(
                MenagerieV1Configuration(
                    serviceURL: url,
                    key: key,
                    directory: configuration.stateDirectory,
                    language: configuration.language,
                    issues: configuration.issues,
                    isSucceeded: isSucceeded
                )
            )
        }
    }

    #if !SDKv2
        extension LinkedSDK {
            static func services(at url: String, _ configuration: SDKConfiguration) async throws -> SanctuaryServices {
                try await openV1(at: url, configuration)
            }
        }
    #endif
#endif

#if Sandbox
#if SDKv1 && SDKv2 && !Staged
#error("both SDKs are linked without a router between them: choose the trait Staged")
#endif
#if !SDKv1 && !SDKv2
#error("no SDK is linked: choose one of the traits SDKv1, Staged and SDKv2")
#endif
#endif

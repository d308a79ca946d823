#if Server
    import Testing
#endif

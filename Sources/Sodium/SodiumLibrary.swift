internal import CSodium

/// One-time start of libsodium.
///
/// `sodium_malloc` ends the process when it is called before `sodium_init`, so every entry to the library that
/// touches memory or randomness passes through ``start()`` first.
enum SodiumLibrary {
    /// A lazy static: the language runs it once, whichever thread comes first.
    private static let isStarted: Bool = sodium_init() >= 0

    /// Makes sure the library is usable.
    ///
    /// `sodium_init` fails only when the system has no random source at all; nothing this program does is safe then.
    @inline(__always)
    static func start() {
        precondition(isStarted, "libsodium could not be started: the system offers no random source")
    }
}

/// A value that holds a secret: whatever prints or dumps it says what it is, and nothing of what is in it.
///
/// A conforming type states `description` in words of its own.
package protocol UnprintedSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension UnprintedSecret {
    /// As `description`.
    package var debugDescription: String { description }

    /// Hides what is stored from `dump`.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A value that holds a secret: printing or dumping it shows its kind, and nothing of its contents.
///
/// A conforming type states `description` in words of its own.
package protocol UnprintedSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension UnprintedSecret {
    /// As `description`.
    package var debugDescription: String { description }

    /// Hides the stored properties from `dump`.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

//! The two declaration macros: `table!` for columns, `record!` for single values and nested parts.

/// Declares a columnar table: the struct, its decoding, encoding and specification.
macro_rules! table {
    (
        $(#[doc = $doc:literal])*
        pub struct $name:ident at $pointer:literal {
            $( $(#[doc = $fdoc:literal])* $field:ident : $ty:ty = $kind:expr, $null:expr; )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            /// Whether the bundle holds the table, if only without rows.
            pub given: bool,
            $( $(#[doc = $fdoc])* pub $field: $ty, )*
            /// Where the values come from.
            pub labels: $crate::label::Labels,
            /// Fields this version does not know, kept as they are.
            pub extra: $crate::json::Object,
        }

        impl $name {
            /// Where the table stands in a bundle.
            pub const POINTER: &'static str = $pointer;

            /// Its columns as declared.
            pub const COLUMNS: &'static [$crate::record::FieldSpec] = &[
                $( $crate::record::FieldSpec {
                    name: stringify!($field), kind: $kind, null: $null, doc: &[$($fdoc),*],
                }, )*
            ];

            /// What the table holds, for the schema.
            pub const DOC: &'static [&'static str] = &[$($doc),*];

            /// Number of rows.
            pub fn rows(&self) -> usize {
                use $crate::column::Column as _;
                [$( self.$field.rows() ),*].into_iter().max().unwrap_or(0)
            }

            /// The label of one cell.
            pub fn label(&self, column: &str, row: usize) -> Option<&$crate::label::Label> {
                self.labels.cell(column, row)
            }

            #[allow(clippy::allow_attributes, unused_variables, unused_mut, unused_assignments)]
            pub(crate) fn decode(node: $crate::json::Node, problems: &mut $crate::problem::Problems) -> Self {
                let mut out = Self { given: true, ..Self::default() };
                let Some(mut object) = $crate::record::expect_object(node, $pointer, problems) else {
                    out.given = false;
                    return out;
                };
                out.labels = $crate::record::decode_labels(&mut object, $pointer, Self::COLUMNS, true, problems);
                let mut specs = Self::COLUMNS.iter();
                let mut empty = Vec::new();
                $(
                    if let (Some(spec), Some(node)) =
                        (specs.next(), $crate::json::take(&mut object, stringify!($field)))
                    {
                        let pointer = concat!($pointer, "/", stringify!($field));
                        if matches!(&node, $crate::json::Node::Ints(cells) if cells.is_empty()) {
                            empty.push(pointer);
                        }
                        out.$field = $crate::column::Column::decode(node, pointer, spec, problems);
                    }
                )*
                $crate::record::report_empty(&empty, out.rows(), problems);
                $crate::record::report_unknown(&object, $pointer, problems);
                out.extra = object;
                out
            }

            pub(crate) fn encode(&self) -> Option<$crate::json::Node> {
                use $crate::column::Column as _;
                if !self.given {
                    return None;
                }
                let mut object: $crate::json::Object = Vec::new();
                if let Some(labels) = $crate::record::encode_labels(&self.labels) {
                    object.push(("labels".to_owned(), labels));
                }
                $(
                    if self.$field.rows() > 0 {
                        object.push((stringify!($field).to_owned(), self.$field.encode()));
                    }
                )*
                object.extend(self.extra.iter().cloned());
                Some($crate::json::Node::Object(object))
            }

            pub(crate) fn visit<'a>(
                &'a self, null: $crate::record::Null, each: &mut dyn FnMut($crate::record::PartView<'a>),
            ) {
                let mut specs = Self::COLUMNS.iter().copied();
                let mut columns: Vec<($crate::record::FieldSpec, &'a dyn $crate::column::Column)> = Vec::new();
                $( if let Some(spec) = specs.next() { columns.push((spec, &self.$field)); } )*
                each($crate::record::PartView::Table {
                    pointer: $pointer, given: self.given, null, columns, labels: &self.labels, extra: &self.extra,
                    rows: self.rows(),
                });
            }

            pub(crate) fn declare(null: $crate::record::Null, each: &mut dyn FnMut($crate::record::PartSpec)) {
                each($crate::record::PartSpec {
                    pointer: $pointer, is_table: true, null, doc: Self::DOC, fields: Self::COLUMNS,
                });
            }

            /// Blanks every column that `chosen` picks by its pointer and specification.
            pub(crate) fn blank(
                &mut self, chosen: &mut dyn FnMut(&'static str, &$crate::record::FieldSpec) -> $crate::record::Blank,
            ) {
                use $crate::column::Column as _;
                let mut specs = Self::COLUMNS.iter();
                $(
                    if let Some(spec) = specs.next() && self.$field.rows() > 0 {
                        match chosen(concat!($pointer, "/", stringify!($field)), spec) {
                            $crate::record::Blank::Nothing => {}
                            $crate::record::Blank::All => self.$field.blank(),
                            $crate::record::Blank::EmptyLists => self.$field.blank_empty_lists(),
                        }
                    }
                )*
            }
        }
    };
}

/// Declares a record: single values, and the tables and records nested in it.
macro_rules! record {
    (
        $(#[doc = $doc:literal])*
        pub struct $name:ident at $pointer:literal {
            $( $(#[doc = $fdoc:literal])* $field:ident : $ty:ty = $kind:expr, $null:expr; )*
        }
        parts {
            $( $(#[doc = $pdoc:literal])* $part:ident : $pty:ty, $pnull:expr; )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            /// Whether the bundle holds the record.
            pub given: bool,
            $( $(#[doc = $fdoc])* pub $field: $ty, )*
            $( $(#[doc = $pdoc])* pub $part: $pty, )*
            /// Where the values come from.
            pub labels: $crate::label::Labels,
            /// Fields this version does not know, kept as they are.
            pub extra: $crate::json::Object,
        }

        impl $name {
            /// Where the record stands in a bundle.
            pub const POINTER: &'static str = $pointer;

            /// Its fields as declared, parts apart.
            pub const FIELDS: &'static [$crate::record::FieldSpec] = &[
                $( $crate::record::FieldSpec {
                    name: stringify!($field), kind: $kind, null: $null, doc: &[$($fdoc),*],
                }, )*
            ];

            /// What the record holds, for the schema.
            pub const DOC: &'static [&'static str] = &[$($doc),*];

            /// The label of one field.
            pub fn label(&self, field: &str) -> Option<&$crate::label::Label> {
                self.labels.field(field)
            }

            #[allow(clippy::allow_attributes, unused_variables, unused_mut, unused_assignments)]
            pub(crate) fn decode(node: $crate::json::Node, problems: &mut $crate::problem::Problems) -> Self {
                let mut out = Self { given: true, ..Self::default() };
                let Some(mut object) = $crate::record::expect_object(node, $pointer, problems) else {
                    out.given = false;
                    return out;
                };
                out.labels = $crate::record::decode_labels(&mut object, $pointer, Self::FIELDS, false, problems);
                let mut specs = Self::FIELDS.iter();
                $(
                    if let (Some(spec), Some(node)) =
                        (specs.next(), $crate::json::take(&mut object, stringify!($field)))
                        && node != $crate::json::Node::Null
                    {
                        out.$field = $crate::record::Scalar::decode(
                            node, concat!($pointer, "/", stringify!($field)), spec, problems);
                    }
                )*
                $(
                    if let Some(node) = $crate::json::take(&mut object, stringify!($part))
                        && node != $crate::json::Node::Null
                    {
                        out.$part = <$pty>::decode(node, problems);
                    }
                )*
                $crate::record::report_unknown(&object, $pointer, problems);
                out.extra = object;
                out
            }

            #[allow(clippy::allow_attributes, unused_mut)]
            pub(crate) fn encode(&self) -> Option<$crate::json::Node> {
                if !self.given {
                    return None;
                }
                let mut object: $crate::json::Object = Vec::new();
                if let Some(labels) = $crate::record::encode_labels(&self.labels) {
                    object.push(("labels".to_owned(), labels));
                }
                $(
                    if let Some(node) = $crate::record::Scalar::encode(&self.$field) {
                        object.push((stringify!($field).to_owned(), node));
                    }
                )*
                $(
                    if let Some(node) = self.$part.encode() {
                        object.push((stringify!($part).to_owned(), node));
                    }
                )*
                object.extend(self.extra.iter().cloned());
                Some($crate::json::Node::Object(object))
            }

            #[allow(clippy::allow_attributes, unused_mut, unused_variables)]
            pub(crate) fn visit<'a>(
                &'a self, null: $crate::record::Null, each: &mut dyn FnMut($crate::record::PartView<'a>),
            ) {
                let mut specs = Self::FIELDS.iter().copied();
                let mut fields = Vec::new();
                $(
                    if let Some(spec) = specs.next() {
                        let target = match spec.kind {
                            $crate::record::Kind::Ref(_) => $crate::record::Scalar::target(&self.$field),
                            _ => None,
                        };
                        fields.push((spec, $crate::record::Scalar::is_given(&self.$field), target));
                    }
                )*
                each($crate::record::PartView::Record {
                    pointer: $pointer, given: self.given, null, fields, labels: &self.labels, extra: &self.extra,
                });
                // What a missing record would hold is missing with it.
                if self.given {
                    $( self.$part.visit($pnull, each); )*
                }
            }

            pub(crate) fn declare(null: $crate::record::Null, each: &mut dyn FnMut($crate::record::PartSpec)) {
                each($crate::record::PartSpec {
                    pointer: $pointer, is_table: false, null, doc: Self::DOC, fields: Self::FIELDS,
                });
                $( <$pty>::declare($pnull, each); )*
            }

            /// Blanks every field and column that `chosen` picks by its pointer and specification.
            #[allow(clippy::allow_attributes, unused_mut, unused_variables)]
            pub(crate) fn blank(
                &mut self, chosen: &mut dyn FnMut(&'static str, &$crate::record::FieldSpec) -> $crate::record::Blank,
            ) {
                let mut specs = Self::FIELDS.iter();
                $(
                    if let Some(spec) = specs.next()
                        && $crate::record::Scalar::is_given(&self.$field)
                        && chosen(concat!($pointer, "/", stringify!($field)), spec) == $crate::record::Blank::All
                    {
                        self.$field = Default::default();
                    }
                )*
                $( self.$part.blank(chosen); )*
            }
        }
    };
}

pub(crate) use {record, table};

//! The timeline's drawing surface: a canvas for pixels, texts over it, and the hand on it.
//!
//! It takes the place of the lens's static drawing once scripts run. What the hand does goes to the engine as it is;
//! what a press or a turn means is decided there.

use std::rc::Rc;

use js_sys::Uint8ClampedArray;
use tokenpath_engine::message::{Band, Hand, Message};
use wasm_bindgen::convert::FromWasmAbi;
use wasm_bindgen::prelude::*;
use web_sys::{
    AddEventListenerOptions, CanvasRenderingContext2d, Event, HtmlCanvasElement, HtmlElement, ImageData, PointerEvent,
    ResizeObserver, WheelEvent,
};

use super::Page;

/// The lens's element around the drawing.
const ID: &str = "timeline";

/// The least height of the drawing, and the greatest as a part of the window's, in CSS pixels.
const LEAST_HEIGHT: f64 = 240.0;
const WINDOW_PART: f64 = 0.66;

/// So long after its last frame the timeline counts as at rest, in milliseconds.
const SETTLES_MS: i32 = 250;

/// A line and a page of a wheel that does not count pixels, in CSS pixels.
const LINE: f64 = 18.0;
const PAGE: f64 = 400.0;

/// The surface, with its listeners, which live as long as it does.
pub(super) struct Stage {
    element: HtmlElement,
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    labels: HtmlElement,
    band: HtmlElement,
    tip: HtmlElement,
    observer: ResizeObserver,
    _resized: Closure<dyn Fn()>,
    _pointer: Vec<Closure<dyn Fn(PointerEvent)>>,
    _wheel: Closure<dyn Fn(WheelEvent)>,
    _settled: Closure<dyn Fn()>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

impl Page {
    /// Makes or gives up the surface, as the lens that is shown asks for.
    pub(super) fn set_stage(self: &Rc<Self>) {
        let element = self.element(ID);
        let kept = match (&*self.stage.borrow(), &element) {
            (Some(stage), Some(element)) => stage.element.is_same_node(Some(element)),
            (None, None) => true,
            _ => false,
        };
        if kept {
            return;
        }
        // The timer calls into the surface that goes.
        self.window.clear_timeout_with_handle(self.settling.get());
        let stage = element.and_then(|element| Stage::new(self, element).ok());
        *self.stage.borrow_mut() = stage;
    }

    /// Tells the engine the size of the surface, its scale and the theme.
    pub(super) fn tell_surface(&self) {
        let Some(hand) = self.stage.borrow().as_ref().map(|stage| {
            let scale = self.window.device_pixel_ratio();
            let size = |css: i32| (f64::from(css) * scale).round() as u32;
            let (width, height) = (size(stage.canvas.client_width()), size(stage.canvas.client_height()));
            Hand::Surface { width, height, scale, dark: self.is_dark() }
        }) else {
            return;
        };
        self.send(Message::Timeline { hand });
    }

    /// Puts a frame on the canvas.
    pub(super) fn draw(&self, width: u32, height: u32, labels: &str, band: Option<&Band>, measuring: bool) {
        let stage = self.stage.borrow();
        let (Some(stage), Some(pixels)) = (&*stage, self.frame_pixels.borrow_mut().take()) else { return };
        let pixels = Uint8ClampedArray::new(&pixels);
        let Ok(image) = ImageData::new_with_js_u8_clamped_array_and_sh(&pixels, width, height) else { return };
        // Setting a size clears the canvas, so only when it differs.
        if stage.canvas.width() != width || stage.canvas.height() != height {
            stage.canvas.set_width(width);
            stage.canvas.set_height(height);
        }
        let _ = stage.context.put_image_data(&image, 0.0, 0.0);
        stage.labels.set_inner_html(labels);
        stage.show_band(band, self.window.device_pixel_ratio());
        let _ = stage.element.class_list().toggle_with_force("measuring", measuring);
        self.window.clear_timeout_with_handle(self.settling.get());
        let settled = stage._settled.as_ref().unchecked_ref();
        let handle = self.window.set_timeout_with_callback_and_timeout_and_arguments_0(settled, SETTLES_MS);
        self.settling.set(handle.unwrap_or(0));
    }

    /// Shows what stands under the pointer.
    pub(super) fn tip(&self, html: &str) {
        if let Some(stage) = &*self.stage.borrow() {
            stage.tip.set_inner_html(html);
            stage.tip.set_hidden(html.is_empty());
        }
    }

    /// Whether the timeline is on a surface, so that its keys mean something.
    pub(super) fn has_stage(&self) -> bool {
        self.stage.borrow().is_some()
    }
}

impl Stage {
    fn new(page: &Rc<Page>, element: HtmlElement) -> Result<Stage, JsValue> {
        let document = &page.document;
        let natural = element.get_bounding_client_rect().height();
        let window = page.window.inner_height()?.as_f64().unwrap_or(LEAST_HEIGHT);
        let height = natural.min((window * WINDOW_PART).max(LEAST_HEIGHT));

        let canvas: HtmlCanvasElement = document.create_element("canvas")?.dyn_into()?;
        // The texts over it and the table beneath it say what it shows.
        canvas.set_attribute("aria-hidden", "true")?;
        let part = |class: &str| -> Result<HtmlElement, JsValue> {
            let part: HtmlElement = document.create_element("div")?.dyn_into()?;
            part.set_class_name(class);
            Ok(part)
        };
        let (labels, band, tip) = (part("labels")?, part("band")?, part("tip")?);
        band.set_hidden(true);
        tip.set_hidden(true);
        element.set_inner_html("");
        element.class_list().add_1("drawn")?;
        element.style().set_property("height", &format!("{height}px"))?;
        element.append_with_node_4(&canvas, &labels, &band, &tip)?;
        let context = canvas.get_context("2d")?.ok_or("no canvas")?.dyn_into()?;

        let resized = {
            let page = Rc::downgrade(page);
            Closure::<dyn Fn()>::new(move || {
                if let Some(page) = page.upgrade() {
                    page.tell_surface();
                }
            })
        };
        let observer = ResizeObserver::new(resized.as_ref().unchecked_ref())?;
        observer.observe(&canvas);

        let settled = {
            let page = Rc::downgrade(page);
            Closure::<dyn Fn()>::new(move || {
                if let Some(page) = page.upgrade().filter(|page| page.has_stage()) {
                    page.send(Message::Settle);
                }
            })
        };
        let pointer = ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave"]
            .into_iter()
            .map(|kind| listen(page, &element, kind, Page::pointer))
            .collect::<Result<_, _>>()?;
        let wheel = listen(page, &element, "wheel", Page::wheel)?;
        Ok(Stage {
            element,
            canvas,
            context,
            labels,
            band,
            tip,
            observer,
            _resized: resized,
            _pointer: pointer,
            _wheel: wheel,
            _settled: settled,
        })
    }

    fn show_band(&self, band: Option<&Band>, scale: f64) {
        self.band.set_hidden(band.is_none());
        let Some(band) = band else { return };
        let width = f64::from(self.canvas.client_width());
        let (from, to) = ((band.from / scale).clamp(0.0, width), (band.to / scale).clamp(0.0, width));
        let style = self.band.style();
        let _ = style.set_property("left", &format!("{from}px"));
        let _ = style.set_property("width", &format!("{}px", to - from));
        self.band.set_inner_html(&band.html);
    }

    /// Places the tip beside the pointer, on the side with more room.
    fn place_tip(&self, x: f64, y: f64) {
        let (width, height) = (f64::from(self.canvas.client_width()), f64::from(self.canvas.client_height()));
        let style = self.tip.style();
        let set = |near: &str, far: &str, value: f64| {
            let _ = style.set_property(near, &format!("{value}px"));
            let _ = style.set_property(far, "auto");
        };
        if x < width / 2.0 {
            set("left", "right", x + 14.0)
        } else {
            set("right", "left", width - x + 14.0)
        }
        if y < height / 2.0 { set("top", "bottom", y + 14.0) } else { set("bottom", "top", height - y + 14.0) }
    }

    /// A place of an event in device pixels from the canvas's left and top, and in CSS pixels.
    fn place(&self, page: &Page, x: i32, y: i32) -> ((f64, f64), (f64, f64)) {
        let rect = self.canvas.get_bounding_client_rect();
        let css = (f64::from(x) - rect.left(), f64::from(y) - rect.top());
        let scale = page.window.device_pixel_ratio();
        ((css.0 * scale, css.1 * scale), css)
    }
}

fn listen<E: FromWasmAbi + AsRef<Event> + 'static>(
    page: &Rc<Page>,
    element: &HtmlElement,
    kind: &str,
    act: fn(&Page, &E),
) -> Result<Closure<dyn Fn(E)>, JsValue> {
    let page = Rc::downgrade(page);
    let closure = Closure::<dyn Fn(E)>::new(move |event: E| {
        if let Some(page) = page.upgrade() {
            act(&page, &event);
        }
    });
    // A wheel that zooms must not scroll the page as well.
    let options = AddEventListenerOptions::new();
    options.set_passive(false);
    element.add_event_listener_with_callback_and_add_event_listener_options(
        kind,
        closure.as_ref().unchecked_ref(),
        &options,
    )?;
    Ok(closure)
}

impl Page {
    fn pointer(&self, event: &PointerEvent) {
        let hand = {
            let stage = self.stage.borrow();
            let Some(stage) = &*stage else { return };
            let ((x, y), css) = stage.place(self, event.client_x(), event.client_y());
            let pressed = event.buttons() & 1 != 0;
            match event.type_().as_str() {
                "pointerdown" if event.button() == 0 => {
                    let _ = stage.element.set_pointer_capture(event.pointer_id());
                    stage.tip.set_hidden(true);
                    Hand::Down { x, y, boxing: event.shift_key() }
                }
                "pointermove" if pressed => Hand::Drag { x, y },
                "pointermove" => {
                    stage.place_tip(css.0, css.1);
                    Hand::Hover { x, y }
                }
                "pointerup" if event.button() == 0 => Hand::Up { x, y },
                "pointercancel" => Hand::Up { x, y },
                "pointerleave" if !pressed => Hand::Leave,
                _ => return,
            }
        };
        self.send(Message::Timeline { hand });
    }

    /// The wheel zooms with Ctrl (which a pinch also is), or once the drawing has the focus; else it scrolls the page.
    fn wheel(&self, event: &WheelEvent) {
        let hand = {
            let stage = self.stage.borrow();
            let Some(stage) = &*stage else { return };
            let focused = stage.element.parent_element().is_some_and(|around| {
                self.document.active_element().is_some_and(|active| active.is_same_node(Some(&around)))
            });
            let zoom = (event.ctrl_key() || event.meta_key() || focused) && !event.shift_key();
            let sideways = event.shift_key() || event.delta_x() != 0.0;
            if !zoom && !sideways {
                return;
            }
            let unit = match event.delta_mode() {
                WheelEvent::DOM_DELTA_LINE => LINE,
                WheelEvent::DOM_DELTA_PAGE => PAGE,
                _ => 1.0,
            };
            let ((x, _), _) = stage.place(self, event.client_x(), event.client_y());
            let scale = self.window.device_pixel_ratio();
            let turned = if event.shift_key() { event.delta_x() + event.delta_y() } else { event.delta_x() };
            let dy = if zoom { event.delta_y() * unit } else { 0.0 };
            Hand::Wheel { x, dx: turned * unit * scale, dy, zoom }
        };
        event.prevent_default();
        self.send(Message::Timeline { hand });
    }
}
